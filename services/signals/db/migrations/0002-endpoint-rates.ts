import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** A rate of its own for an endpoint; null for the setting. */
export const endpointRates: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      alter table signal_endpoints
        add column rate_per_second integer,
        add constraint signal_endpoints_rate_check check (rate_per_second between 1 and 10000)`.execute(db);
  },
};
