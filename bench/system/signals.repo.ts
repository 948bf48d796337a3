import { sql } from '@yardarm/shared/db';
import { openAsOwner } from './databases.repo.ts';

export interface StoredSignals {
  count(): Promise<number>;
  /** Draws that many consecutive ids of signals; returns the first. */
  drawIds(count: number): Promise<number>;
  close(): Promise<void>;
}

export async function openStoredSignals(databaseUrl: string): Promise<StoredSignals> {
  const db = openAsOwner(databaseUrl, 'signals');
  const read = async (afterId: number) => {
    const { rows } = await sql<{ count: number; last_id: number | null }>`
      select count(*)::int as count, max(id)::int as last_id from signals where id > ${afterId}`.execute(db.kysely);
    return rows[0]!;
  };
  // Ids are drawn in increasing order, so that later signals are counted without those of earlier runs.
  const { count: before, last_id: lastId } = await read(0);
  return {
    count: async () => before + (await read(lastId ?? 0)).count,
    async drawIds(count) {
      const { rows } = await sql<{ last: number }>`
        select setval('signal_ids', nextval('signal_ids') + ${count}::bigint - 1)::int as last`.execute(db.kysely);
      return rows[0]!.last - count + 1;
    },
    close: () => db.close(),
  };
}
