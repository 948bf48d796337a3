import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * The SDK tokens of deleted environments, moved here from `tokens`. They have no environment, so none can read one that
 * is made again under the name. Code that does not know the table refuses them, as before.
 */
export const orphanedTokens: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table orphaned_tokens (
        id integer not null constraint orphaned_tokens_pkey primary key,
        kind text not null constraint orphaned_tokens_kind_check check (kind in ('client', 'frontend')),
        name text not null,
        selector text not null constraint orphaned_tokens_selector_key unique,
        hash text not null,
        projects text[] not null,
        expires_at timestamptz,
        orphaned_at timestamptz not null default now()
      )`.execute(db);
    await sql`create index orphaned_tokens_orphaned_at_idx on orphaned_tokens (orphaned_at)`.execute(db);
  },
};
