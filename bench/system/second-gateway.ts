import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/servers/free-port.ts';
import { machineEnvironment } from '../options.ts';
import { isAnswered } from './is-answered.ts';
import { startProgram } from './program.ts';
import type { Yardarm } from './yardarm.ts';

const main = path.resolve(import.meta.dirname, '../../services/gateway/main.ts');

/** A gateway needs a second or two, for the bus and a snapshot of the flags. */
const startLimitMs = 30_000;

export async function startSecondGateway(
  yardarm: Yardarm,
  folder: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = { NATS_URL: yardarm.natsUrl, PORT: String(port), YARDARM_DATA_DIR: folder, LOG_LEVEL: 'warn' };
  const gateway = startProgram(main, {
    env: { ...machineEnvironment(), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const until = Date.now() + startLimitMs;
  const headers = { authorization: yardarm.sdkToken };
  while (!(await isAnswered(`${url}/api/client/features`, headers))) {
    if (gateway.hasEnded() || Date.now() > until) {
      await gateway.stop();
      throw new Error('the second gateway did not start');
    }
    await sleep(50);
  }
  return { url, stop: gateway.stop };
}
