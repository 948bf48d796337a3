// A nats-server with JetStream on loopback, run by us.
//
// The store folder contains:
//   claim.json     the process that runs it: nats-server does not notice a second one on its files
//   passwords.json of the users, 0600: other users of the machine may not publish
//   nats.conf      written at each start
//   tls-*.pem      copies of the certificates and the key, for a server with TLS
//   nats.pid       written by the server
//   jetstream/     its files
//   nats.log       its output

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { natsUser } from '@yardarm/shared/bus/permissions';
import { type ServiceName, serviceNames } from '@yardarm/shared/contracts';
import { claimFolder } from './claim.ts';
import { freePort } from './free-port.ts';
import { guard } from './guard.ts';
import { openLog, tailOf } from './log-file.ts';
import { askingInbox, askNats } from './nats-address.ts';
import type { NatsProgram } from './nats-binary.js';
import { findNats } from './nats-binary.js';
import { confText, natsUsers } from './nats-users.ts';
import { commandLineOf, ended, signalAll } from './processes.ts';
import { run } from './run.js';

export type NatsOptions = {
  storeDir: string;
  port?: number;
  /**
   * Flush every write to the disk before acknowledging it, if the server supports it (2.10 and newer). Default: yes.
   */
  syncAlways?: boolean;
  /** Remove `storeDir` when the server stops, also when this process is killed. */
  temporary?: boolean;
  program?: NatsProgram;
  prefix?: string;
  /** Default: yes. Without JetStream, as an operator may run it by mistake, it is ready when it answers. */
  jetstream?: boolean;
  /** The user of `url` may do everything. Without this, it may only ask whether JetStream answers. */
  isOpen?: boolean;
  /** The port of its monitoring over HTTP, on loopback. Default: none. Not in a container. */
  monitoringPort?: number;
  log?: (line: string) => void;
  /** PEM files of the server and of the authority of clients. With `verify` a client has to have a certificate. */
  tls?: { certFile: string; keyFile: string; caFile: string; verify?: boolean } | undefined;
  /** Ends the wait for a server that starts, which is then stopped. */
  signal?: AbortSignal;
};

export type RunningNats = {
  /** The address of the server, with user and password. */
  url: string;
  /** Each with the user of the service, which has the permissions of its contracts. */
  serviceUrls: Record<ServiceName, string>;
  port: number;
  version: string;
  /** Resolves when the server has ended for any reason. */
  ended: Promise<void>;
  stop(): Promise<void>;
  /** Ends the server by SIGKILL. Its files stay. */
  crash(): Promise<void>;
};

// 2.9 refuses a configuration with sync_interval. It always flushes every 60 s.
function hasSyncInterval(program: NatsProgram): boolean {
  if (program.kind === 'docker') return true;
  const [major = 0, minor = 0] = program.version.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 10);
}

type Passwords = Record<ServiceName | 'yardarm', string>;

function configuration(listen: string, passwords: Passwords, options: NatsOptions & { syncAlways: boolean }): string {
  const { storeDir, prefix = '', isOpen, syncAlways, jetstream = true, monitoringPort, tls } = options;
  const sync = syncAlways ? '\n  sync_interval: always' : '';
  // With `_INBOX.*`, nats-server 2.9 would allow a subscription to `_INBOX.>`, and so to the inboxes of all services.
  const mayAsk = isOpen ? '' : `, permissions: { publish: "$JS.API.INFO", subscribe: "${askingInbox}.>" }`;
  const own = `    { user: yardarm, password: ${confText(passwords.yardarm)}${mayAsk} }\n`;
  const monitoring = monitoringPort === undefined ? '' : `http: ${confText(`127.0.0.1:${monitoringPort}`)}\n`;
  return `server_name: yardarm-local
listen: ${confText(listen)}
${monitoring}${tls ? tlsBlock(tls, storeDir) : ''}pid_file: ${confText(path.join(storeDir, 'nats.pid'))}
${jetstream ? `jetstream {\n  store_dir: ${confText(storeDir)}${sync}\n}\n` : ''}${natsUsers(prefix, (service) => confText(passwords[service]), own)}`;
}

/** The files are copied into the store, where a container sees them. */
function tlsBlock(tls: NonNullable<NatsOptions['tls']>, storeDir: string): string {
  const files = (['certFile', 'keyFile', 'caFile'] as const).map((kind) => {
    const copy = path.join(storeDir, `tls-${kind}.pem`);
    copyFileSync(tls[kind], copy);
    return `${kind.replace('File', '_file')}: ${confText(copy)}`;
  });
  return `tls { ${files.join(', ')}, verify: ${tls.verify ?? false} }\n`;
}

/** Reads the passwords of the store. Makes and stores the missing ones. */
function openPasswords(storeDir: string): Passwords {
  const file = path.join(storeDir, 'passwords.json');
  const stored = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Passwords>) : {};
  const made = (['yardarm', ...serviceNames] as const).map((user) => [
    user,
    stored[user] ?? randomBytes(24).toString('base64url'),
  ]);
  const passwords = Object.fromEntries(made) as Passwords;
  writeFileSync(file, `${JSON.stringify(passwords, null, 2)}\n`, { mode: 0o600 });
  return passwords;
}

function containerName(storeDir: string): string {
  return `yardarm-nats-${createHash('sha256').update(storeDir).digest('hex').slice(0, 16)}`;
}

/** Stops a server of this folder that outlived its parent. The caller owns the claim. */
async function stopLeftNats(storeDir: string, program: NatsProgram): Promise<void> {
  if (program.kind === 'docker') {
    await run('docker', ['rm', '--force', containerName(storeDir)]);
    return;
  }
  const pidFile = path.join(storeDir, 'nats.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (commandLineOf(pid).includes(path.join(storeDir, 'nats.conf'))) {
    signalAll([pid], 'SIGTERM');
    // It writes its state before it ends, which takes far less than 5 s.
    if (!(await ended([pid], 5_000))) signalAll([pid], 'SIGKILL');
    await ended([pid], 1_000);
  }
  rmSync(pidFile, { force: true });
}

/** Starts the process. Returns it with the shell command that ends it if we are killed. */
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
  // We own the files in the store, not the container's root.
  const user = ['--user', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`];
  const child = spawn('docker', [...args, ...user, program.image, '-c', conf], {
    ...options,
    stdio: [...options.stdio],
  });
  return { child, kill: `docker rm --force ${name}` };
}

async function untilItAnswers(child: ChildProcess, url: string, options: NatsOptions): Promise<string | undefined> {
  const { jetstream = true, signal } = options;
  // JetStream reads its streams before it answers. A minute is enough for the largest store of a developer.
  const until = Date.now() + 60_000;
  const isRunning = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined;
  while (isRunning() && !signal?.aborted && Date.now() < until) {
    const info = await askNats(url).catch(() => undefined);
    if (info && (info.jetstream || !jetstream)) return info.version;
    await sleep(20);
  }
  return undefined;
}

/**
 * Starts nats-server on loopback and waits until its JetStream answers. One process at a time can do so in a folder,
 * another gets a FolderInUseError. A server that a killed process left there is stopped first.
 */
export async function startNats(options: NatsOptions): Promise<RunningNats> {
  const { log = () => {}, syncAlways = true, temporary = false } = options;
  const program = options.program ?? (await findNats(log));
  const storeDir = path.resolve(options.storeDir);
  mkdirSync(path.dirname(storeDir), { recursive: true });
  mkdirSync(storeDir, { recursive: true, mode: 0o700 });
  const claim = await claimFolder(storeDir);
  try {
    await stopLeftNats(storeDir, program);
    const passwords = openPasswords(storeDir);
    const logFile = path.join(storeDir, 'nats.log');
    // Another process may use the port after it was found free. Five times in a row has another reason.
    for (let attempt = 1; ; attempt += 1) {
      const port = options.port ?? (await freePort());
      const listen = program.kind === 'docker' ? '0.0.0.0:4222' : `127.0.0.1:${port}`;
      const flushes = syncAlways && hasSyncInterval(program);
      const text = configuration(listen, passwords, { ...options, storeDir, syncAlways: flushes });
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

      const urlOf = (user: string, password: string) => `nats://${user}:${password}@127.0.0.1:${port}`;
      const url = urlOf('yardarm', passwords.yardarm);
      const serviceUrls = Object.fromEntries(
        serviceNames.map((name) => [name, urlOf(natsUser(name, options.prefix ?? ''), passwords[name])]),
      ) as Record<ServiceName, string>;
      const version = await untilItAnswers(child, url, options);
      const stop = async () => {
        await stopNats(child, program, storeDir);
        await hasEnded;
      };
      if (version) {
        return {
          url,
          serviceUrls,
          port,
          version,
          // Then the folder is free, also for another start by this process.
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
      options.signal?.throwIfAborted();
      const reason = tailOf(logFile, output.size);
      const isPortInUse = /address already in use|port is already allocated/i.test(reason);
      if (!isPortInUse || options.port !== undefined || attempt === 5) {
        throw new Error(`nats-server in ${storeDir} did not start: ${reason || 'it does not answer'}`);
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
  // Acknowledged messages are in its files, so a kill after 2.5 s loses none.
  if (await ended([pid], 2_500)) return;
  await killNats(child, program, storeDir);
}

async function killNats(child: ChildProcess, program: NatsProgram, storeDir: string): Promise<void> {
  if (program.kind === 'docker') await run('docker', ['rm', '--force', containerName(storeDir)]);
  child.kill('SIGKILL');
}
