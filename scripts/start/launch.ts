import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Claim } from '../servers/claim.ts';
import { claimFolder, FolderInUseError } from '../servers/claim.ts';
import { findListenError, freePort } from '../servers/free-port.ts';
import { findSystemId } from '../servers/postgres-contents.ts';
import { run } from '../servers/run.js';
import { publicAddress } from './addresses.ts';
import { announcement } from './announcement.ts';
import { prepareConsole } from './console.ts';
import type { Credentials } from './credentials.ts';
import { choosePrefix, credentialsFile, knownPrefix, openCredentials, recordShown } from './credentials.ts';
import { writeDatabaseLogins } from './database-logins.ts';
import { readFirstAdmin } from './first-admin.ts';
import { removeMetricsTargets, writeMetricsTargets } from './metrics-targets.ts';
import type { Options } from './options.ts';
import { projectFolder } from './options.ts';
import type { Server } from './own-servers.ts';
import { startOrUseNats, startOrUsePostgres } from './own-servers.ts';
import { proveDatabase } from './prove-database.ts';
import { untilReady } from './ready.ts';
import { loginUrls, loginVariables, serviceEnvironment, serviceNames } from './services.ts';
import { SupervisedService, stopServices } from './supervisor.ts';

export type Installation = { project: string; services: string; migrate: string };

export function installationIn(folder: string): Installation {
  return {
    project: folder,
    services: path.join(folder, 'services'),
    migrate: path.join(folder, 'scripts/migrate.ts'),
  };
}

/** What the data folder may have before the first start: a nats-server, the lock of the installation, profiles. */
const namesBeforeStart = new Set(['bin', 'install.lock', 'bench-profiles']);

async function openDataFolder(dataDir: string, address: string): Promise<Claim> {
  try {
    mkdirSync(path.dirname(dataDir), { recursive: true });
    if (!existsSync(dataDir)) mkdirSync(dataDir);
    const isFirst = readdirSync(dataDir).every((name) => namesBeforeStart.has(name));
    // Only the owner may enter. For root other users may enter but not read: Postgres runs as another user, with its
    // data inside. A folder of other files, such as /etc, keeps its mode.
    if (isFirst || existsSync(credentialsFile(dataDir))) chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
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
  const reason = await findListenError(PORT, HOST);
  if (reason === 'EADDRINUSE')
    throw new Error(`PORT ${PORT} is taken on ${HOST}; set PORT=${PORT + 1} or another free one`);
  if (reason === 'EACCES')
    throw new Error(`PORT ${PORT} on ${HOST} is not for an ordinary user; set PORT to one above 1023`);
  if (reason) throw new Error(`HOST ${HOST} cannot be listened on (${reason}); set HOST to an address of this machine`);
  return PORT === 0 ? freePort(HOST) : PORT;
}

export async function migrate(
  file: string,
  options: Options,
  databaseUrl: string,
  credentials: Credentials,
): Promise<void> {
  const { passedOn, YARDARM_TAKE_OVER_DATABASE } = options;
  const logins = loginVariables(databaseUrl, credentials);
  const environment = { ...passedOn, YARDARM_TAKE_OVER_DATABASE, DATABASE_URL: databaseUrl, ...logins };
  const { code, output } = await run(process.execPath, [file], { env: environment, cwd: projectFolder });
  if (code !== 0)
    throw new Error(`the database could not be prepared (${path.basename(file)} ended with ${code}):\n${output}`);
}

/** The fixed health port of each service, undefined for a free one at each start. Checked before anything starts. */
async function healthPorts({ HEALTH_HOST, HEALTH_PORT, PORT }: Options): Promise<(number | undefined)[]> {
  if (HEALTH_PORT === 0) return serviceNames.map(() => undefined);
  const ports = serviceNames.map((_, index) => HEALTH_PORT + index);
  const range = `HEALTH_PORT ${HEALTH_PORT} gives the services the ports ${ports[0]} to ${ports.at(-1)}`;
  for (const port of ports) {
    if (port === PORT) throw new Error(`${range}, and PORT is one of them; set another HEALTH_PORT`);
    const reason = await findListenError(port, HEALTH_HOST);
    if (reason)
      throw new Error(`${range}, and ${port} on HEALTH_HOST ${HEALTH_HOST} cannot be listened on (${reason})`);
  }
  return ports;
}

/** Stops a part of what was started. `force` does not wait. */
export type Undo = { stop(): Promise<void>; force?(): void };

export type Launched = { address: string; services: SupervisedService[] };

/**
 * Starts everything and prints the announcement. It passes an undo step to `onStop` for each part that it starts. The
 * caller runs these steps in reverse order, so that a failure or `signal` leaves nothing running. It calls `fail` when
 * a service cannot run with its settings, during the start or later.
 */
export async function launch(
  options: Options,
  say: (line: string) => void,
  onStop: (undo: Undo) => void,
  fail: (error: Error) => void,
  signal: AbortSignal,
  installation: Installation,
): Promise<Launched> {
  const claim = await openDataFolder(options.dataDir, publicAddress(options.HOST, options.PORT));
  onStop({ stop: async () => claim.release() });
  const port = await choosePort(options);
  const address = publicAddress(options.HOST, port);
  const ports = await healthPorts(options);
  const opened = openCredentials(options);

  say(`Starting Yardarm in ${options.dataDir}`);
  const started: Server[] = [];
  onStop({ stop: async () => void (await Promise.all(started.map((server) => server.stop()))) });
  const track = async <S extends Server>(starting: Promise<S>) => {
    const server = await starting;
    started.push(server);
    return server;
  };
  // Waits for all, also when one fails, because a server that has started must be stopped.
  const [postgres, nats, builtConsole] = await Promise.allSettled([
    track(startOrUsePostgres(options, say, signal)),
    track(startOrUseNats(options, knownPrefix(options, opened) ?? '', say, signal)),
    options.CONSOLE_DIR ?? prepareConsole(installation.project, say, console.error, signal),
  ]);
  if (postgres.status === 'rejected') throw postgres.reason;
  if (nats.status === 'rejected') throw nats.reason;
  if (builtConsole.status === 'rejected') throw builtConsole.reason;
  const databaseUrl = postgres.value.url;
  const natsUrls = nats.value.serviceUrls;
  signal.throwIfAborted();
  await proveDatabase(databaseUrl, options, opened);
  await migrate(installation.migrate, options, databaseUrl, opened);
  const credentials = await choosePrefix(options, opened, () => findSystemId(databaseUrl));
  signal.throwIfAborted();
  const removeLogins = writeDatabaseLogins(options.dataDir, loginUrls(databaseUrl, credentials));
  onStop({ stop: async () => removeLogins() });

  // Before the announcement, no warning may have the word that scripts wait for, and a warning of several services
  // about the same NATS is printed once. The services' logs have all of them.
  let isAnnounced = false;
  const printed = new Set<string>();
  const sayFiltered = (line: string) => {
    const text = line.slice(line.indexOf(':'));
    if (!isAnnounced && (/ready/i.test(line) || printed.has(text))) return;
    printed.add(text);
    say(line);
  };
  const addresses = { databaseUrl, natsUrls, port, consoleDir: builtConsole.value };
  const services: SupervisedService[] = serviceNames.map((name, index) => {
    const environment = serviceEnvironment(name, options, credentials, addresses);
    const logFile = path.join(options.dataDir, 'logs', `${name}.log`);
    const file = path.join(installation.services, name, 'main.ts');
    return new SupervisedService({ name, file, environment, logFile, healthPort: ports[index] }, sayFiltered, {
      onHealthPort: () => writeMetricsTargets(options.dataDir, options.HEALTH_HOST, services),
      onRefused: (reason) => fail(new Error(reason)),
    });
  });
  onStop({ stop: async () => removeMetricsTargets(options.dataDir) });
  onStop({
    stop: () => stopServices(services, 'gateway'),
    force() {
      for (const service of services) service.kill();
    },
  });
  await Promise.all(services.map((service) => service.start()));
  const lacking = await untilReady(services, options.HEALTH_HOST, address, signal);
  isAnnounced = true;
  for (const line of lacking) say(line);
  const firstAdmin = readFirstAdmin(options);
  for (const line of announcement(options, credentials, address, firstAdmin)) say(line);
  recordShown(options, credentials, firstAdmin);
  return { address, services };
}
