// A Postgres of our own in a data folder, from the binaries that npm brings.
//
// What stands in the data folder (or, as root, partly elsewhere: see postgresHome):
//   claim.json          who runs it, so that a second start does not
//   password            the superuser's, 0600
//   cluster/            Postgres's own; made under another name and renamed, so that it is whole when it is there
//   postgres.log        what it says

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
import { whyNoPostgres } from './postgres-address.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { postgresHome } from './postgres-home.ts';
import { stopLeftPostgres } from './postgres-leftover.ts';
import { ended } from './processes.ts';
import { run } from './run.ts';

export type PostgresOptions = {
  dataDir: string;
  /** false: what a power cut loses does not matter, as in tests. */
  durable: boolean;
  port?: number;
  /** Remove `dataDir` when it stops, also when this process is killed. */
  temporary?: boolean;
  log?: (line: string) => void;
};

export type RunningPostgres = {
  url: string;
  port: number;
  /** Comes true when it has ended, asked to or not. */
  ended: Promise<void>;
  stop(): Promise<void>;
  /** Ends it at once and without a checkpoint (`-m immediate`), as a crash would; its files stay. */
  crash(): Promise<void>;
};

/** Tests take the speed; a child's data folder that a crash destroys is thrown away anyway. */
const notDurable = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

function settings(port: number, durable: boolean): string[] {
  const values = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    // A socket's path has a limit of about 100 bytes, which a clone's path may exceed; everybody uses TCP.
    'unix_socket_directories=',
    // Six services with a pool of ten each and the tests' parallel files stay well below; a slot costs 20 kB.
    'max_connections=300',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(durable ? [] : notDurable),
  ];
  return values.flatMap((value) => ['-c', value]);
}

function keptPassword(dataDir: string, clusterExists: boolean): string {
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
  // C.UTF-8 of Postgres's own provider: sorted by code point and the same on every machine, whatever its locales.
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

/** Waits until Postgres notes in postmaster.pid that it takes connections; false when it ended instead. */
async function accepts(child: ChildProcess, cluster: string): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    try {
      const lines = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
      // Line 1 is the process, line 8 its state.
      if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return true;
    } catch {
      // Not written yet.
    }
    await sleep(10);
  }
  return false;
}

/**
 * Starts Postgres on loopback and waits until it answers. Only one process can do so in one folder (else:
 * FolderInUseError); a Postgres left there by a killed one is stopped first.
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
    const password = keptPassword(dataDir, existsSync(cluster));
    if (!existsSync(cluster)) {
      log('Making a new Postgres cluster');
      await makeCluster(bin, home, password, durable, account);
    }
    const logFile = path.join(home, 'postgres.log');

    // Another process may take a port between our finding it free and using it. Five in a row: something else.
    for (let attempt = 1; ; attempt += 1) {
      const port = options.port ?? (await freePort());
      const output = openLog(logFile);
      const from = output.size;
      const child = spawn(path.join(bin, 'postgres'), ['-D', cluster, ...settings(port, durable)], {
        // Its own group: Ctrl-C in the terminal is for the launcher, which stops the services before their database.
        detached: true,
        stdio: ['ignore', output.fd, output.fd],
        cwd: '/',
        ...account,
      });
      child.on('error', (error) => log(`Postgres could not be started: ${error.message}`));
      closeSync(output.fd);
      const hasEnded = guarded(child, temporary ? [home, dataDir] : []);
      if (await accepts(child, cluster)) {
        const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
        const fault = await whyNoPostgres(url);
        if (fault) log(`Postgres runs, but ${fault}`);
        return {
          url,
          port,
          // The folder is free from then on, so that it can be started again by this process too.
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
      const said = tailOf(logFile, from);
      const portTaken = said.includes('could not bind');
      if (!portTaken || options.port !== undefined || attempt === 5) {
        throw new Error(`Postgres in ${home} did not start: ${said || `exit code ${child.exitCode}`}`);
      }
    }
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** Takes the server (and the folders) along if we are killed; comes true when it has ended. */
function guarded(child: ChildProcess, folders: string[]): Promise<void> {
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
  // Fast shutdown ends sessions and writes a checkpoint. What 2.5 s (the launcher promises 15 s for everything, 12
  // of them the services') do not finish, the next start replays from the log: an immediate one loses nothing.
  child.kill(temporary ? 'SIGQUIT' : 'SIGINT');
  if (await ended([pid], 2_500)) return;
  child.kill('SIGQUIT');
  if (!(await ended([pid], 500))) child.kill('SIGKILL');
  await ended([pid], 1_000);
}
