// The system under test: the six services as `npm start` runs them, with the bench's own Postgres, NATS and data
// folder. It can be stopped and started again on the same data.
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ServiceName } from '@yardarm/shared/contracts';
import { freePort } from '../../scripts/servers/free-port.ts';
import { startNats } from '../../scripts/servers/nats.ts';
import { startPostgres } from '../../scripts/servers/postgres.ts';
import { makeDatabase } from '../../scripts/servers/postgres-address.ts';
import { commandLineOf } from '../../scripts/servers/processes.ts';
import { type Counting, countingSettings } from '../counting/work.ts';
import { machineEnvironment } from '../options.ts';
import { Api } from './api.ts';
import { startProgram } from './program.ts';

const root = path.resolve(import.meta.dirname, '../..');
const adminToken = '*:*.bench0000000000000000000000000000admin';
const frontendToken = '*:development.bench00000000000000000000front';
const sdkToken = '*:development.bench00000000000000000000000sdk';

/** A start takes seconds. Two minutes are enough for a recovery of a million events on a slow disk. */
const startLimitMs = 120_000;

export interface Yardarm {
  url: string;
  adminToken: string;
  sdkToken: string;
  frontendToken: string;
  api: Api;
  databaseUrl: string;
  /** With a user that may do everything. */
  natsUrl: string;
  natsUrls: Record<ServiceName, string>;
  /** What it was started with, for replicas of its services. */
  settings: Record<string, string>;
  /** Of `npm start`, with the logins of its services. */
  dataDir: string;
  services(): Map<string, number>;
  counting: Counting | undefined;
  stop(): Promise<void>;
}

export interface YardarmOptions {
  /** The folder of CPU profiles. */
  profiles: string | undefined;
  settings: Record<string, string>;
  /** Whether Postgres and nats-server count what they do. */
  isCounting?: boolean;
}

/** Starts Yardarm on the data in `folder`, which may be empty. The processes write CPU profiles to `profiles`. */
export async function startYardarm(
  folder: string,
  { profiles, settings, isCounting = false }: YardarmOptions,
): Promise<Yardarm> {
  const counts = isCounting ? { settings: countingSettings } : {};
  const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), durable: true, ...counts });
  const monitoringPort = await freePort();
  const monitored = isCounting ? { monitoringPort } : {};
  const nats = await startNats({ storeDir: path.join(folder, 'nats'), isOpen: true, ...monitored });
  const stopServers = () => Promise.all([postgres.stop(), nats.stop()]);
  try {
    const databaseUrl = await makeDatabase(postgres.url, 'yardarm');
    const dataDir = path.join(folder, 'yardarm');
    const environment = {
      ...{ ...machineEnvironment(), ...settings },
      ...{ PORT: '0', YARDARM_DATA_DIR: dataDir },
      ...{ DATABASE_URL: databaseUrl, NATS_URL: nats.url },
      ...Object.fromEntries(
        Object.entries(nats.serviceUrls).map(([name, natsUrl]) => [`${name.toUpperCase()}_NATS_URL`, natsUrl]),
      ),
      ...{ INIT_ADMIN_API_TOKENS: adminToken, INIT_CLIENT_API_TOKENS: sdkToken },
      ...{ INIT_FRONTEND_API_TOKENS: frontendToken },
      // The bench receives webhooks on loopback.
      ...{ INTEGRATIONS_ALLOWED_PRIVATE: '127.0.0.1', YARDARM_PARENT_PID: String(process.pid) },
      ...(profiles === undefined ? {} : { NODE_OPTIONS: profiling(profiles) }),
    };
    const launcher = startProgram(path.join(root, 'scripts/start/main.ts'), {
      ...{ cwd: root, env: environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const url = await untilReady(launcher.child);
    return {
      ...{
        url,
        adminToken,
        sdkToken,
        frontendToken,
        databaseUrl,
        natsUrl: nats.url,
        natsUrls: nats.serviceUrls,
        api: new Api(url, adminToken),
      },
      ...{ settings, dataDir },
      counting: isCounting ? { databaseUrl, monitoringUrl: `http://127.0.0.1:${monitoringPort}` } : undefined,
      services: () => servicesOf(launcher.child),
      async stop() {
        await launcher.stop();
        await stopServers();
      },
    };
  } catch (error) {
    await stopServers();
    throw error;
  }
}

function profiling(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return `--cpu-prof --cpu-prof-dir=${folder}`;
}

/** Waits for the URL that the launcher prints when it is ready. Throws with its output when it ends instead. */
async function untilReady(launcher: ChildProcess): Promise<string> {
  const output: string[] = [];
  const timer = setTimeout(() => launcher.kill('SIGTERM'), startLimitMs);
  try {
    return await new Promise<string>((resolve, reject) => {
      for (const stream of [launcher.stdout!, launcher.stderr!]) {
        createInterface({ input: stream }).on('line', (line) => {
          output.push(line);
          const url = /^Yardarm is ready on (\S+)/.exec(line)?.[1];
          if (url) resolve(url);
        });
      }
      launcher.once('exit', () => reject(new Error(`Yardarm did not start: ${output.join('\n')}`)));
    });
  } finally {
    clearTimeout(timer);
  }
}

/** The launcher's child processes that run a service. Empty on other systems than Linux. */
function servicesOf(launcher: ChildProcess): Map<string, number> {
  const found = new Map<string, number>();
  if (process.platform !== 'linux') return found;
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const name = /services\/([^/]+)\/main\.ts/.exec(commandLineOf(pid))?.[1];
    if (name && parentOf(pid) === launcher.pid) found.set(name, pid);
  }
  return found;
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // The process has ended meanwhile.
    return undefined;
  }
}
