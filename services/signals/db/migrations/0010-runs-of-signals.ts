import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/** Finds the runs of a signal, for the lists of signals. */
export const runsOfSignals: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index action_runs_signal_id_idx on action_runs (signal_id)`.execute(db);
  },
};
