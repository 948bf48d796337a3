import type { Feature } from '@yardarm/shared/contracts/flags';
import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

type Trx = Transaction<FlagsTables>;

// The caller has locked the row of the original, which keeps its variants and dependencies until the commit.

/** Both flags have the environments of their project. */
export async function copyVariants(trx: Trx, original: string, copy: string): Promise<void> {
  await sql`
    update feature_environments fe set variants = original.variants
    from feature_environments original
    where fe.feature_name = ${copy} and original.feature_name = ${original} and original.environment = fe.environment`.execute(
    trx,
  );
}

/** Returns the dependencies of the copy. */
export async function copyDependencies(trx: Trx, original: string, copy: string): Promise<Feature['dependencies']> {
  const { rows } = await sql<Feature['dependencies'][number]>`
    insert into feature_dependencies (child, parent, enabled, variants)
    select ${copy}, parent, enabled, variants from feature_dependencies where child = ${original} order by parent
    returning parent as feature, enabled, variants`.execute(trx);
  return rows;
}
