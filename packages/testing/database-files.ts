import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestDatabase } from './databases.ts';

/**
 * The files of a database and of the write-ahead log, which a copy of the server's disk has: also rows that were
 * deleted. Null if the server runs in a container.
 */
export async function filesOf(database: TestDatabase): Promise<{ name: string; bytes: Buffer }[] | null> {
  await database.rows('checkpoint');
  const [place] = await database.rows<{ cluster: string; oid: string }>(
    `select current_setting('data_directory') as cluster, oid from pg_database where datname = current_database()`,
  );
  const { cluster, oid } = place!;
  if (!existsSync(cluster)) return null;
  return [path.join(cluster, 'base', String(oid)), path.join(cluster, 'pg_wal')].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => ({ name, bytes: readFileSync(path.join(folder, name)) })),
  );
}
