import { createRestoresTable, type Migration, sql } from '@yardarm/shared/db';

/** `handled_events.epoch` is part of the webhook-id, because a restored log gives public ids again. */
export const restores: Migration = {
  async up(db) {
    await createRestoresTable(db);
    await sql`alter table handled_events add column epoch uuid`.execute(db);
  },
};
