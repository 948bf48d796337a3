// A nats-server of our own with JetStream, on loopback.
//
// What stands in the store folder:
//   claim.json     who runs it: nats-server itself does not notice a second one on its files
//   password       the user yardarm's, 0600: others on the machine may not publish
//   nats.conf      written anew at each start
//   nats.pid       the server's own note
//   jetstream/     its files
//   nats.log       what it says

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimFolder } from './claim.ts';
import { freePort } from './free-port.ts';
import { guard } from './guard.ts';
import { openLog, tailOf } from './log-file.ts';
import { askNats } from './nats-address.ts';
import type { NatsProgram } from './nats-binary.ts';
import { findNats } from './nats-binary.ts';
import { commandLineOf, ended, signalAll } from './processes.ts';
import { run } from './run.ts';

export type NatsOptions = {
  storeDir: string;
  port?: number;
  /** Flush every write to the disk before acknowledging it, where the server can (2.10 and newer). Default: yes. */
  syncAlways?: boolean;
  /** Remove `storeDir` when it stops, also when this process is killed. */
  temporary?: boolean;
  /** Where nats-server is had from; found if not given. */
  program?: NatsProgram;
  log?: (line: string) => void;
};

export type RunningNats = {
  /** With user and password. */
  url: string;
  port: number;
  version: string;
  /** Comes true when it has ended, asked to or not. */
  ended: Promise<void>;
  stop(): Promise<void>;
  /** Ends it by SIGKILL, as a crash would; its files stay. */
  crash(): Promise<void>;
};

// 2.9 refuses a configuration that names sync_interval; it flushes every 60 s and cannot be told otherwise.
function knowsSyncInterval(program: NatsProgram): boolean {
  if (program.kind === 'docker') return true;
  const [major = 0, minor = 0] = program.version.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 10);
}

function configuration(listen: string, storeDir: string, password: string, syncAlways: boolean): string {
  // JSON strings are valid in NATS's configuration language, quotes and backslashes in a path included.
  const text = (value: string) => JSON.stringify(value);
  return `server_name: yardarm-local
listen: ${text(listen)}
pid_file: ${text(path.join(storeDir, 'nats.pid'))}
authorization { user: yardarm, password: ${text(password)} }
jetstream {
  store_dir: ${text(storeDir)}${syncAlways ? '\n  sync_interval: always' : ''}
}
`;
}

function keptPassword(storeDir: string): string {
  const file = path.join(storeDir, 'password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}

function containerName(storeDir: string): string {
  return `yardarm-nats-${createHash('sha256').update(storeDir).digest('hex').slice(0, 16)}`;
}

/** Stops a server of this folder that outlived its parent. To be called by whoever holds the claim. */
async function stopLeft(storeDir: string, program: NatsProgram): Promise<void> {
  if (program.kind === 'docker') {
    await run('docker', ['rm', '--force', containerName(storeDir)]);
    return;
  }
  const note = path.join(storeDir, 'nats.pid');
  if (!existsSync(note)) return;
  const pid = Number(readFileSync(note, 'utf8'));
  if (commandLineOf(pid).includes(path.join(storeDir, 'nats.conf'))) {
    signalAll([pid], 'SIGTERM');
    // It writes its state on the way out; 5 s are far more than that takes.
    if (!(await ended([pid], 5_000))) signalAll([pid], 'SIGKILL');
    await ended([pid], 1_000);
  }
  rmSync(note, { force: true });
}

/** Starts the process and gives it with the shell command that ends it if we are killed. */
function launch(program: NatsProgram, storeDir: string, port: number, output: number) {
  const options = { detached: true, stdio: ['ignore', output, output] as const, cwd: '/' };
  const conf = path.join(storeDir, 'nats.conf');
  if (program.kind === 'program') {
    const child = spawn(program.file, ['-c', conf], { ...options, stdio: [...options.stdio] });
    return { child, kill: `end ${child.pid ?? ''} TERM` };
  }
  const name = containerName(storeDir);
  const args = [
    'run',
    '--rm',
    '--name',
    name,
    '--publish',
    `127.0.0.1:${port}:4222`,
    '--volume',
    `${storeDir}:${storeDir}`,
  ];
  // Files in the store belong to us, not to the container's root.
  const user = ['--user', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`];
  const child = spawn('docker', [...args, ...user, program.image, '-c', conf], {
    ...options,
    stdio: [...options.stdio],
  });
  return { child, kill: `docker rm --force ${name}` };
}

async function untilItAnswers(child: ChildProcess, url: string): Promise<string | undefined> {
  // JetStream reads its streams before it answers: a minute for the largest store that a developer keeps.
  const until = Date.now() + 60_000;
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined && Date.now() < until) {
    const info = await askNats(url).catch(() => undefined);
    if (info?.jetstream) return info.version;
    await sleep(20);
  }
  return undefined;
}

/**
 * Starts nats-server on loopback and waits until its JetStream answers. Only one process can do so in one folder
 * (else: FolderInUseError); a server left there by a killed one is stopped first.
 */
export async function startNats(options: NatsOptions): Promise<RunningNats> {
  const { log = () => {}, syncAlways = true, temporary = false } = options;
  const program = options.program ?? (await findNats(log));
  const storeDir = path.resolve(options.storeDir);
  mkdirSync(path.dirname(storeDir), { recursive: true });
  mkdirSync(storeDir, { recursive: true, mode: 0o700 });
  const claim = await claimFolder(storeDir);
  try {
    await stopLeft(storeDir, program);
    const password = keptPassword(storeDir);
    const logFile = path.join(storeDir, 'nats.log');
    // Another process may take a port between our finding it free and using it. Five in a row: something else.
    for (let attempt = 1; ; attempt += 1) {
      const port = options.port ?? (await freePort());
      const listen = program.kind === 'docker' ? '0.0.0.0:4222' : `127.0.0.1:${port}`;
      const text = configuration(listen, storeDir, password, syncAlways && knowsSyncInterval(program));
      writeFileSync(path.join(storeDir, 'nats.conf'), text, { mode: 0o600 });

      const output = openLog(logFile);
      const { child, kill } = launch(program, storeDir, port, output.fd);
      child.on('error', (error) => log(`nats-server could not be started: ${error.message}`));
      closeSync(output.fd);
      const watch = guard(`${kill}; rm -rf "$@"`, ...(temporary ? [storeDir] : []));
      const hasEnded = new Promise<void>((resolve) => {
        const end = () => {
          watch.release();
          resolve();
        };
        child.once('exit', end);
        if (child.pid === undefined) end();
      });

      const url = `nats://yardarm:${password}@127.0.0.1:${port}`;
      const version = await untilItAnswers(child, url);
      const stop = async () => {
        await stopNats(child, program, storeDir);
        await hasEnded;
      };
      if (version) {
        return {
          url,
          port,
          version,
          // The folder is free from then on, so that it can be started again by this process too.
          ended: hasEnded.then(() => claim.release()),
          async stop() {
            await stop();
            if (temporary) rmSync(storeDir, { recursive: true, force: true });
          },
          async crash() {
            await killNats(child, program, storeDir);
            await hasEnded;
            claim.release();
          },
        };
      }
      await stop();
      const said = tailOf(logFile, output.size);
      const portTaken = /address already in use|port is already allocated/i.test(said);
      if (!portTaken || options.port !== undefined || attempt === 5) {
        throw new Error(`nats-server in ${storeDir} did not start: ${said || 'it does not answer'}`);
      }
    }
  } catch (error) {
    claim.release();
    throw error;
  }
}

async function stopNats(child: ChildProcess, program: NatsProgram, storeDir: string): Promise<void> {
  const pid = child.pid;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  // Acknowledged messages are in its files from the moment of acknowledgement: a kill after 2.5 s loses none.
  if (await ended([pid], 2_500)) return;
  await killNats(child, program, storeDir);
}

async function killNats(child: ChildProcess, program: NatsProgram, storeDir: string): Promise<void> {
  if (program.kind === 'docker') await run('docker', ['rm', '--force', containerName(storeDir)]);
  child.kill('SIGKILL');
}
