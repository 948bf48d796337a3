import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serverAccount } from '../../scripts/servers/account.ts';
import { guard } from '../../scripts/servers/guard.ts';
import { type RunningPostgres, startPostgres } from '../../scripts/servers/postgres.ts';
import { postgresHome } from '../../scripts/servers/postgres-home.ts';
import { query } from './databases.ts';
import { eventually } from './eventually.ts';

/** A primary and a standby that streams from it. */
export interface PostgresPair {
  /** The superuser's URLs. */
  primaryUrl: string;
  standbyUrl: string;
  /** The URL of one of them with the hosts of both, the standby first unless the order says otherwise. */
  ofBoth(url: string, order?: 'standby-first' | 'primary-first'): string;
  /** With it, the primary acknowledges a commit when the standby has it. */
  makeSynchronous(): Promise<void>;
  /** The standby gets nothing more, as behind a cut network. */
  cutStandby(): Promise<void>;
  /** Ends the primary at once. It is not started again, as its operator fences it. */
  killPrimary(): Promise<void>;
  /** Makes the standby a primary. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts both on loopback, from the binaries of npm. These lack pg_basebackup, so the standby begins with a copy of the
 * files of the primary while it is stopped. `prepare` fills the primary before the copy.
 */
export async function startPostgresPair(
  prepare: (url: string) => Promise<void> = async () => {},
): Promise<PostgresPair> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-pair-'));
  // For root, Postgres runs as another user, who needs access to its data in this folder.
  chmodSync(folder, 0o711);
  // The servers' own guards need at most 10 s to remove their folders.
  const watch = guard('sleep 10; rm -rf "$1"', folder);
  const options = (name: string) => ({ dataDir: path.join(folder, name), durable: true, temporary: false });
  let primary: RunningPostgres = await startPostgres(options('primary'));
  await prepare(primary.url);
  await primary.stop();
  await copyAsStandby(options('primary').dataDir, options('standby').dataDir, primary);
  primary = await startPostgres({ ...options('primary'), port: primary.port });
  const standby = await startPostgres(options('standby'));
  await eventually(async () => {
    const followers = await query(primary.url, "select from pg_stat_replication where state = 'streaming'");
    if (followers.length === 0) throw new Error('the standby does not follow the primary');
  });
  return {
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    ofBoth(url, order = 'standby-first') {
      const ports = [standby.port, primary.port];
      const hosts = (order === 'standby-first' ? ports : ports.reverse()).map((port) => `127.0.0.1:${port}`);
      return url.replace(/@[^/]*\//, `@${hosts.join()}/`).replace(/\?|$/, '?target_session_attrs=read-write&');
    },
    async makeSynchronous() {
      await query(primary.url, "alter system set synchronous_standby_names = '*'");
      await query(primary.url, 'select pg_reload_conf()');
      await eventually(async () => {
        const [row] = await query<{ state: string }>(
          primary.url,
          'select sync_state as state from pg_stat_replication',
        );
        if (row?.state !== 'sync') throw new Error('the standby is not synchronous');
      });
    },
    async cutStandby() {
      await query(standby.url, "alter system set primary_conninfo = ''");
      await query(standby.url, 'select pg_reload_conf()');
      await eventually(async () => {
        const followers = await query(primary.url, 'select from pg_stat_replication');
        if (followers.length > 0) throw new Error('the standby still follows the primary');
      });
    },
    killPrimary: () => primary.crash(),
    promote: async () => void (await query(standby.url, 'select pg_promote()')),
    async stop() {
      await Promise.allSettled([primary.stop(), standby.stop()]);
      for (const name of ['primary', 'standby']) {
        const pointer = path.join(folder, name, 'home');
        if (existsSync(pointer)) rmSync(readFileSync(pointer, 'utf8').trim(), { recursive: true, force: true });
      }
      rmSync(folder, { recursive: true, force: true });
      watch.release();
    },
  };
}

async function copyAsStandby(from: string, to: string, primary: RunningPostgres): Promise<void> {
  const account = serverAccount();
  mkdirSync(to, { mode: account ? 0o711 : 0o700 });
  const [source, target] = [await postgresHome(from, account), await postgresHome(to, account)];
  copyFileSync(path.join(from, 'password'), path.join(to, 'password'));
  // With its owner, which Postgres requires.
  execFileSync('cp', ['-a', path.join(source, 'cluster'), path.join(target, 'cluster')]);
  const cluster = path.join(target, 'cluster');
  const { username, password, port } = new URL(primary.url);
  const address = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
  appendFileSync(path.join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${address}'\n`);
  writeFileSync(path.join(cluster, 'standby.signal'), '');
}
