// A Postgres in a data folder, run by us from the binaries of npm.
//
// The data folder contains (for root partly elsewhere: see postgresHome):
//   claim.json          the process that runs it, so that a second start fails
//   password            of the superuser, 0600
//   cluster/            the files of Postgres; made under another name and renamed when complete
//   postgres.log        its output

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import { serverAccount } from './account.ts';
import { claimFolder } from './claim.ts';
import { freePort } from './free-port.ts';
import { guard } from './guard.ts';
import { openLog, tailOf } from './log-file.ts';
import { findPostgresProblem } from './postgres-address.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { postgresHome } from './postgres-home.ts';
import { stopLeftPostgres } from './postgres-leftover.ts';
import { ended } from './processes.ts';
import { run } from './run.js';

export type PostgresOptions = {
  dataDir: string;
  /** false: a power cut may lose data, as in tests. */
  durable: boolean;
  /** The variables of the server, by default those of this process. */
  environment?: Record<string, string>;
  port?: number;
  /** Remove `dataDir` when Postgres stops, also when this process is killed. */
  temporary?: boolean;
  /** Further settings, as `name=value`. */
  settings?: readonly string[];
  log?: (line: string) => void;
  /** Ends the wait for a server that starts, which is then stopped. */
  signal?: AbortSignal;
};

export type RunningPostgres = {
  url: string;
  port: number;
  /** Resolves when Postgres has ended for any reason. */
  ended: Promise<void>;
  stop(): Promise<void>;
  /** Ends Postgres at once without a checkpoint (`-m immediate`), as a crash would. Its files stay. */
  crash(): Promise<void>;
};

/** Faster. After a crash tests do not use the data folder again. */
const notDurable = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

function settingsOf(port: number, { durable, settings = [] }: PostgresOptions): string[] {
  const values = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    // The path of a socket is limited to about 100 bytes, which the path of a clone may exceed. All clients use TCP.
    'unix_socket_directories=',
    // Six services with a pool of ten each, and parallel test files, need far fewer. A slot costs 20 kB.
    'max_connections=300',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(durable ? [] : notDurable),
    ...settings,
  ];
  return values.flatMap((value) => ['-c', value]);
}

function openPassword(dataDir: string, clusterExists: boolean): string {
  const file = path.join(dataDir, 'password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (clusterExists) throw new Error(`${file} is missing: without it the data in ${dataDir} cannot be opened`);
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}

async function makeCluster(bin: string, home: string, password: string, durable: boolean, account?: Account) {
  const unfinished = path.join(home, 'cluster.new');
  const passwordFile = path.join(home, 'initdb-password');
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) chownSync(passwordFile, account.uid, account.gid);
  // C.UTF-8 of the builtin provider sorts by code point, and is the same on every machine.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const args = [`--pgdata=${unfinished}`, ...locale, ...access, ...(durable ? [] : ['--no-sync'])];
  try {
    const { code, output } = await run(path.join(bin, 'initdb'), args, { cwd: '/', ...account });
    if (code !== 0) throw new Error(`initdb could not make a database cluster in ${home}: ${output}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(unfinished, path.join(home, 'cluster'));
}

/** Waits until postmaster.pid says that Postgres accepts connections. False when it ended instead, or by the signal. */
async function waitUntilReady(child: ChildProcess, cluster: string, signal?: AbortSignal): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null && !signal?.aborted) {
    try {
      const lines = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
      // Line 1 is the process, line 8 its state: `standby` while it follows another server.
      if (Number(lines[0]) === child.pid && ['ready', 'standby'].includes(lines[7]?.trim() ?? '')) return true;
    } catch {
      // Not written yet.
    }
    await sleep(10);
  }
  return false;
}

/**
 * Starts Postgres on loopback and waits until it answers. One process at a time can do so in a folder, another gets a
 * FolderInUseError. A Postgres that a killed process left there is stopped first.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { durable, temporary = false, log = () => {} } = options;
  const dataDir = path.resolve(options.dataDir);
  mkdirSync(path.dirname(dataDir), { recursive: true });
  if (!existsSync(dataDir)) mkdirSync(dataDir, { mode: 0o700 });
  const claim = await claimFolder(dataDir);
  try {
    const account = serverAccount();
    if (account) chmodSync(dataDir, 0o711);
    const bin = postgresBinaries(account);
    const home = await postgresHome(dataDir, account);
    const cluster = path.join(home, 'cluster');
    await stopLeftPostgres(cluster);
    const password = openPassword(dataDir, existsSync(cluster));
    if (!existsSync(cluster)) {
      log('Making a new Postgres cluster');
      await makeCluster(bin, home, password, durable, account);
    }
    const logFile = path.join(home, 'postgres.log');

    // Another process may use the port after it was found free. Five times in a row has another reason.
    for (let attempt = 1; ; attempt += 1) {
      const port = options.port ?? (await freePort());
      const output = openLog(logFile);
      const from = output.size;
      const child = spawn(path.join(bin, 'postgres'), ['-D', cluster, ...settingsOf(port, options)], {
        // Its own group, so that Ctrl-C reaches only the launcher, which stops the services before their database.
        detached: true,
        stdio: ['ignore', output.fd, output.fd],
        cwd: '/',
        ...account,
        ...(options.environment && { env: options.environment }),
      });
      child.on('error', (error) => log(`Postgres could not be started: ${error.message}`));
      closeSync(output.fd);
      const hasEnded = guardChild(child, temporary ? [home, dataDir] : []);
      if (await waitUntilReady(child, cluster, options.signal)) {
        const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
        const problem = await findPostgresProblem(url);
        if (problem) log(`Postgres runs, but ${problem}`);
        return {
          url,
          port,
          // Then the folder is free, also for another start by this process.
          ended: hasEnded.then(() => claim.release()),
          async stop() {
            await stopPostgres(child, temporary);
            await hasEnded;
            if (temporary) for (const folder of [home, dataDir]) rmSync(folder, { recursive: true, force: true });
          },
          async crash() {
            child.kill('SIGQUIT');
            await hasEnded;
            claim.release();
          },
        };
      }
      await stopPostgres(child, temporary);
      options.signal?.throwIfAborted();
      const reason = tailOf(logFile, from);
      const isPortInUse = reason.includes('could not bind');
      if (!isPortInUse || options.port !== undefined || attempt === 5) {
        throw new Error(`Postgres in ${home} did not start: ${reason || `exit code ${child.exitCode}`}`);
      }
    }
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** Ends the server and removes the folders if we are killed. Resolves when the server has ended. */
function guardChild(child: ChildProcess, folders: string[]): Promise<void> {
  if (child.pid === undefined) return Promise.resolve();
  const watch = guard(
    'end "$1" "$2"; shift 2; rm -rf "$@"',
    child.pid,
    folders.length === 0 ? 'INT' : 'QUIT',
    ...folders,
  );
  return new Promise((resolve) => {
    child.once('exit', () => {
      watch.release();
      resolve();
    });
  });
}

async function stopPostgres(child: ChildProcess, temporary: boolean): Promise<void> {
  const pid = child.pid;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  // Fast shutdown ends sessions and writes a checkpoint. It has 2.5 s: the launcher promises to end within 15 s, and
  // the services have 12 of them. An immediate shutdown loses nothing, because the next start replays the log.
  child.kill(temporary ? 'SIGQUIT' : 'SIGINT');
  if (await ended([pid], 2_500)) return;
  child.kill('SIGQUIT');
  if (!(await ended([pid], 500))) child.kill('SIGKILL');
  await ended([pid], 1_000);
}
