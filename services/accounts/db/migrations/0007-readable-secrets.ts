import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** The encrypted secrets of SDK tokens that can be read again. Code that does not know the columns stores none. */
export const readableSecrets: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      alter table tokens
        add column sealed_secret text,
        add column sealed_key text,
        add constraint tokens_sealed_secret_check check (
          (sealed_secret is null) = (sealed_key is null)
          and (sealed_secret is null or kind in ('client', 'frontend'))
        )`.execute(db);
  },
};
