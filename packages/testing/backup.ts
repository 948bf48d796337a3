import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestDatabase } from './databases.ts';

/** A database writes a few megabytes; the template of its tables is the larger part. */
const maxDumpBytes = 200_000_000;

/** What pg_dump prints of a database; null without a pg_dump that is as new as the server, as it refuses newer ones. */
export async function dumpOf(database: TestDatabase): Promise<string | null> {
  const version = /\d+/.exec(spawnSync('pg_dump', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0];
  const [server] = await database.rows<{ version: string }>(`select current_setting('server_version') as version`);
  if (version === undefined || Number(version) < Number.parseInt(server!.version, 10)) return null;
  const dump = spawnSync('pg_dump', [database.ownerUrl], { encoding: 'utf8', maxBuffer: maxDumpBytes });
  if (dump.status !== 0) throw new Error(`pg_dump failed: ${dump.stderr}`);
  return dump.stdout;
}

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
