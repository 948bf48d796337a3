// A process of a service beside those of `npm start`, with the same environment for Node.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/servers/free-port.ts';
import { withDatabaseLogin } from '../../scripts/start/database-logins.ts';
import { nodeOptions } from '../../scripts/start/node-options.ts';
import { machineEnvironment } from '../options.ts';
import { isAnswered } from './is-answered.ts';
import { startProgram } from './program.ts';
import type { Yardarm } from './yardarm.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** A process needs a second or two, a gateway also for the flags: of 100,000 in five environments minutes if busy. */
const startLimitMs = 5 * 60_000;

export interface Replica {
  /** Of a gateway: its public address. */
  url: string;
  /** Where /ready and /metrics are. */
  healthUrl: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts another process of the service and waits until it is ready. */
export async function startReplica(
  yardarm: Yardarm,
  service: 'gateway' | 'signals',
  settings: Record<string, string> = {},
): Promise<Replica> {
  const [port, healthPort] = [await freePort(), await freePort()];
  const { DATABASE_URL } =
    service === 'gateway' ? {} : withDatabaseLogin(service, { YARDARM_DATA_DIR: yardarm.dataDir });
  const replica = startProgram(path.join(root, 'services', service, 'main.ts'), {
    env: {
      ...{ ...machineEnvironment(), ...yardarm.settings, ...settings },
      NODE_OPTIONS: nodeOptions(yardarm.settings.NODE_OPTIONS),
      ...{ NATS_URL: yardarm.natsUrls[service], DATABASE_URL, LOG_LEVEL: 'warn' },
      ...{ PORT: String(port), HEALTH_PORT: String(healthPort) },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const healthUrl = `http://127.0.0.1:${healthPort}`;
  const until = Date.now() + startLimitMs;
  while (!(await isAnswered(`${healthUrl}/ready`))) {
    if (replica.hasEnded() || Date.now() > until) {
      await replica.stop();
      throw new Error(`the replica of ${service} did not start`);
    }
    await sleep(50);
  }
  return { url: `http://127.0.0.1:${port}`, healthUrl, pid: replica.child.pid!, stop: replica.stop };
}
