import { type Kysely, prepared } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { grantedRoles } from '../roles/roles.repo.ts';
import type { StoredToken } from './token.ts';

/** The token, its owner and all roles of the owner, also by groups, from one snapshot. */
export async function findTokenBySelector(db: Kysely<AccountsTables>, selector: string): Promise<StoredToken | null> {
  const token = db
    .selectFrom('tokens')
    .leftJoin('users', 'users.id', 'tokens.user_id')
    .where('tokens.selector', '=', selector)
    .select([
      ...(['tokens.id', 'tokens.kind', 'tokens.name', 'tokens.selector', 'tokens.hash'] as const),
      ...(['tokens.expires_at', 'tokens.environment', 'tokens.projects'] as const),
      ...(['users.id as owner_id', 'users.kind as owner_kind', 'users.username', 'users.email'] as const),
      ...(['users.name as owner_name', 'users.deleted_at', 'users.must_change_password'] as const),
      grantedRoles.as('roles'),
    ]);
  const [row] = (await prepared('find-token', token).execute(db)).rows;
  if (!row) return null;
  const { id, kind, name, hash, environment, projects, owner_id, owner_kind, username, email, roles } = row;
  const isDeleted = row.deleted_at !== null;
  const mustChangePassword = row.must_change_password === true;
  const owner =
    owner_id === null || owner_kind === null
      ? null
      : { id: owner_id, kind: owner_kind, username, name: row.owner_name, email, isDeleted, mustChangePassword, roles };
  return { id, kind, name, selector, hash, expiresAt: row.expires_at, environment, projects, owner };
}

/** Those of the selectors that a token has: one statement, since a token of a deleted environment changes its table. */
export async function findSelectors(db: Kysely<AccountsTables>, selectors: readonly string[]): Promise<string[]> {
  const { rows } = await prepared('find-selectors')<{ selector: string }>`
    select selector from tokens where selector = any(${selectors}::text[])
    union
    select selector from orphaned_tokens where selector = any(${selectors}::text[])`.execute(db);
  return rows.map(({ selector }) => selector);
}

/**
 * Writes when tokens were last used: the latest of the reported and stored times, at most the time of the database.
 * Unknown ids are ignored. Rows are locked in the order of their ids, so that two reports cannot deadlock.
 */
export async function markSeen(db: Kysely<AccountsTables>, seen: readonly { id: number; at: string }[]): Promise<void> {
  const ids = seen.map(({ id }) => id);
  const moments = seen.map(({ at }) => at);
  await prepared('mark-tokens-seen')`
    with reported as (
      select id, least(max(at), now()) as at
      from unnest(${ids}::bigint[], ${moments}::timestamptz[]) as each (id, at)
      group by id
    ),
    later as (
      select tokens.id, reported.at from tokens join reported on reported.id = tokens.id
      where tokens.seen_at is null or tokens.seen_at < reported.at
      order by tokens.id
      for no key update of tokens
    )
    update tokens set seen_at = greatest(tokens.seen_at, later.at) from later where later.id = tokens.id`.execute(db);
}
