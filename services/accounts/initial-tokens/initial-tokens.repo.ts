import { sql, type Transaction } from '@yardarm/shared/db';
import type { Sealed } from '@yardarm/shared/encryption';
import { sealedColumns } from '../api-tokens/api-tokens.repo.ts';
import type { AccountsTables } from '../db/schema.ts';
import type { InitialToken } from './initial-token.ts';

/** `retired`: the token was created once and deleted since. */
export type InsertedInitialToken = 'exists' | 'retired' | { id: number; createdAt: Date };

/**
 * Inserts a token given by a setting, unless it exists or was deleted. The insert waits for a concurrent deletion of
 * the same token. A second statement, which sees the result of that deletion, then looks for its retired selector.
 */
export async function insertInitialToken(
  trx: Transaction<AccountsTables>,
  { kind, name, selector, hash, environment, projects }: InitialToken,
  sealed: Sealed | null,
): Promise<InsertedInitialToken> {
  const row = await trx
    .insertInto('tokens')
    .values({ kind, name, selector, hash, environment, projects, ...sealedColumns(sealed) })
    .onConflict((conflict) => conflict.constraint('tokens_selector_key').doNothing())
    .returning(['id', 'created_at'])
    .executeTakeFirst();
  if (!row) return 'exists';
  const { numDeletedRows } = await trx
    .deleteFrom('tokens')
    .where('id', '=', row.id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('retired_tokens')
          .select(sql`1`.as('one'))
          .whereRef('retired_tokens.selector', '=', 'tokens.selector'),
      ),
    )
    .executeTakeFirst();
  return numDeletedRows > 0n ? 'retired' : { id: row.id, createdAt: row.created_at };
}
