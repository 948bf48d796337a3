import { sql } from '@yardarm/shared/db';
import { openAsOwner } from '../system/databases.repo.ts';

/** A second table with the columns and indexes of the log, for a second insert of the log's rows. */
export interface Copies {
  /**
   * Inserts the rows after that id with `batch` rows per statement and commit. Returns rows per second, without the
   * time of reading them.
   */
  insert(rows: { afterId: number; batch: number }): Promise<number>;
  close(): Promise<void>;
}

/** Creates the table, after dropping an existing one. */
export async function openCopies(databaseUrl: string): Promise<Copies> {
  const db = openAsOwner(databaseUrl, 'events');
  await sql`drop table if exists bench_copies`.execute(db.kysely);
  await sql`create table bench_copies (like events including all)`.execute(db.kysely);
  return {
    async insert({ afterId, batch }) {
      let count = 0;
      let ms = 0;
      for (let id = afterId; ; ) {
        const { rows } = await sql<{ id: number; row: string }>`
          select id, events::text as row from events where id > ${id} order by id limit ${batch}`.execute(db.kysely);
        if (rows.length === 0) break;
        const copies = rows.map(({ row }) => row);
        const startedAt = performance.now();
        await sql`
          insert into bench_copies select * from unnest(${copies}::bench_copies[])`.execute(db.kysely);
        ms += performance.now() - startedAt;
        count += rows.length;
        id = rows.at(-1)!.id;
      }
      if (count === 0) throw new Error(`the log has no rows after ${afterId} to insert again`);
      return count / (ms / 1_000);
    },
    async close() {
      await sql`drop table bench_copies`.execute(db.kysely);
      await db.close();
    },
  };
}
