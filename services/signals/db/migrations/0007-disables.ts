import { type Kysely, type Migration, sql } from '@yardarm/shared/db';

/**
 * Counts how often each set was disabled. A run has the number of its set when the signal matched. A trigger counts, so
 * that a set that a replica of the previous version disables is counted too. Such a replica inserts runs without it.
 */
export const disables: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table action_sets add column disables integer not null default 0`.execute(db);
    await sql`alter table action_runs add column disables integer`.execute(db);
    await sql`
      create function count_disable() returns trigger language plpgsql as $$
      begin
        new.disables := old.disables + 1;
        return new;
      end $$`.execute(db);
    await sql`
      create trigger action_sets_disables before update on action_sets
      for each row when (old.enabled and not new.enabled) execute function count_disable()`.execute(db);
  },
};
