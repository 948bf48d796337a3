import { accessSync, chmodSync, constants, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Claim } from '../servers/claim.ts';
import { claimFolder, FolderInUseError } from '../servers/claim.ts';
import { freePort, whyNotFree } from '../servers/free-port.ts';
import { run } from '../servers/run.ts';
import { announcement, publicAddress } from './announcement.ts';
import type { Credentials } from './credentials.ts';
import { noteShown, openCredentials } from './credentials.ts';
import { leaveDatabaseLogins } from './database-logins.ts';
import { readFirstAdmin } from './first-admin.ts';
import type { Options } from './options.ts';
import { projectFolder } from './options.ts';
import type { Server } from './own-servers.ts';
import { bringNats, bringPostgres } from './own-servers.ts';
import { untilReady } from './ready.ts';
import { loginUrls, loginVariables, serviceEnvironment, serviceNames } from './services.ts';
import { SupervisedService, stopServices } from './supervisor.ts';

/** What is launched: the services' folder and the command that prepares the database. */
export type Installation = { services: string; migrate: string };

/** The house in a working copy of this project. */
export function installationIn(folder: string): Installation {
  return { services: path.join(folder, 'services'), migrate: path.join(folder, 'scripts/migrate.ts') };
}

async function openDataFolder(dataDir: string, address: string): Promise<Claim> {
  try {
    mkdirSync(path.dirname(dataDir), { recursive: true });
    if (!existsSync(dataDir)) mkdirSync(dataDir);
    // Its owner's alone. As root others may pass through, not look: Postgres runs as another user and has its data in it.
    chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
    for (const name of ['logs', 'gateway']) mkdirSync(path.join(dataDir, name), { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw new Error(
      `the data folder ${dataDir} cannot be used (${(error as Error).message}); set YARDARM_DATA_DIR to another`,
    );
  }
  try {
    return await claimFolder(dataDir, address);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new Error(
      `another Yardarm runs on the data folder ${dataDir}: process ${error.pid}, ${error.note}; ` +
        'stop that one, or set YARDARM_DATA_DIR and PORT to run a second',
    );
  }
}

async function choosePort({ PORT, HOST }: Options): Promise<number> {
  const reason = await whyNotFree(PORT, HOST);
  if (reason === 'EADDRINUSE')
    throw new Error(`PORT ${PORT} is taken on ${HOST}; set PORT=${PORT + 1} or another free one`);
  if (reason === 'EACCES')
    throw new Error(`PORT ${PORT} on ${HOST} is not for an ordinary user; set PORT to one above 1023`);
  if (reason) throw new Error(`HOST ${HOST} cannot be listened on (${reason}); set HOST to an address of this machine`);
  return PORT === 0 ? freePort(HOST) : PORT;
}

async function migrate(file: string, options: Options, databaseUrl: string, credentials: Credentials): Promise<void> {
  const environment = { ...options.passedOn, DATABASE_URL: databaseUrl, ...loginVariables(databaseUrl, credentials) };
  const { code, output } = await run(process.execPath, [file], { env: environment, cwd: projectFolder });
  if (code !== 0)
    throw new Error(`the database could not be prepared (${path.basename(file)} ended with ${code}):\n${output}`);
}

/** Undoes a part of what was brought up; `force` does it at once, without waiting. */
export type Undo = { stop(): Promise<void>; force?(): void };

export type Launched = { address: string; services: SupervisedService[] };

/**
 * Brings everything up and says so. What it began is undone by the steps that it gives to `onStop` as it goes, to be
 * run last one first; so a failure, or `signal`, in the middle leaves nothing running.
 */
export async function launch(
  options: Options,
  say: (line: string) => void,
  onStop: (undo: Undo) => void,
  signal: AbortSignal,
  installation: Installation,
): Promise<Launched> {
  const claim = await openDataFolder(options.dataDir, publicAddress(options.HOST, options.PORT));
  onStop({ stop: async () => claim.release() });
  const port = await choosePort(options);
  const address = publicAddress(options.HOST, port);
  const credentials = openCredentials(options);

  say(`Starting Yardarm in ${options.dataDir}`);
  const started: Server[] = [];
  onStop({ stop: async () => void (await Promise.all(started.map((server) => server.stop()))) });
  const kept = async (starting: Promise<Server>) => {
    const server = await starting;
    started.push(server);
    return server.url;
  };
  // Both to their end, also where one fails: what has started must be known to be stopped.
  const servers = await Promise.allSettled([kept(bringPostgres(options, say)), kept(bringNats(options, say))]);
  const [databaseUrl, natsUrl] = servers.map((server) => {
    if (server.status === 'rejected') throw server.reason;
    return server.value;
  }) as [string, string];
  signal.throwIfAborted();
  await migrate(installation.migrate, options, databaseUrl, credentials);
  signal.throwIfAborted();
  const removeLogins = leaveDatabaseLogins(options.dataDir, loginUrls(databaseUrl, credentials));
  onStop({ stop: async () => removeLogins() });

  // Before the word that scripts wait for is printed, no warning may hold it; and what all six say of the same NATS is
  // said once. Everything is in the services' logs.
  let isAnnounced = false;
  const saidEarly = new Set<string>();
  const sayUnlessEarly = (line: string) => {
    const text = line.slice(line.indexOf(':'));
    if (!isAnnounced && (/ready/i.test(line) || saidEarly.has(text))) return;
    saidEarly.add(text);
    say(line);
  };
  const addresses = { databaseUrl, natsUrl, port };
  const services = serviceNames.map((name) => {
    const environment = serviceEnvironment(name, options, credentials, addresses);
    const logFile = path.join(options.dataDir, 'logs', `${name}.log`);
    return new SupervisedService(
      { name, file: path.join(installation.services, name, 'main.ts'), environment, logFile },
      sayUnlessEarly,
    );
  });
  onStop({
    stop: () => stopServices(services, 'gateway'),
    force() {
      for (const service of services) service.kill();
    },
  });
  await Promise.all(services.map((service) => service.start()));
  await untilReady(services, address, signal);
  isAnnounced = true;
  const firstAdmin = readFirstAdmin(options);
  for (const line of announcement(options, credentials, address, firstAdmin)) say(line);
  noteShown(options, credentials, firstAdmin);
  return { address, services };
}
