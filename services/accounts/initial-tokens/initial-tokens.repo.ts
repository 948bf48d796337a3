import { sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { InitialToken } from './initial-token.ts';

/** `retired`: it was made once and deleted since. */
export type InsertedInitialToken = 'there' | 'retired' | { id: number; createdAt: Date };

/**
 * Inserts a token that a setting gives, unless it is there or was deleted. The insert waits for a deletion of the same token that is under
 * way, so what that deletion left behind is looked for afterwards, by a statement that sees it.
 */
export async function insertInitialToken(
  trx: Transaction<AccountsTables>,
  { kind, name, selector, hash, environment, projects }: InitialToken,
): Promise<InsertedInitialToken> {
  const row = await trx
    .insertInto('tokens')
    .values({ kind, name, selector, hash, environment, projects })
    .onConflict((conflict) => conflict.constraint('tokens_selector_key').doNothing())
    .returning(['id', 'created_at'])
    .executeTakeFirst();
  if (!row) return 'there';
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
