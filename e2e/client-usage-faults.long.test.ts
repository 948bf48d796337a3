// Every count that a gateway accepted is stored once, although flags is killed before and after it stores a report, and
// although the gateway stops.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache, eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const child = fileURLToPath(new URL('../services/flags/testing/crash-child.ts', import.meta.url));

let system: TestSystem;
let last: ChildProcess | undefined;

beforeAll(async () => {
  system = await startSystem();
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'counted' } });
  await system.processAll();
  // From here on flags runs in processes that can be killed.
  await system.stopService('flags');
});

afterAll(async () => {
  last?.kill('SIGKILL');
  await system?.stop();
});

/** Resolves when it has started, or died: the gateway may report at once, by its timer. */
async function startFlags(point: string): Promise<ChildProcess> {
  const started = spawn(process.execPath, [child, point, '1'], {
    env: {
      ...{ NATS_URL: system.natsUrlOf('flags'), DATABASE_URL: system.database.urlFor('flags'), LOG_LEVEL: 'error' },
      ...{ YARDARM_PREFIX: system.prefix, DATABASE_MAX_CONNECTIONS: '5', ...compileCache },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(started.stdout!, 'data'), once(started, 'exit')]);
  return started;
}

let accepted = 0;
async function report(): Promise<void> {
  const bucket = { toggles: { counted: { yes: 1, no: 0 } } };
  const body = { appName: 'shop', bucket };
  const { status } = await system.call('POST', '/api/client/metrics', { token: system.clientTokens.development, body });
  expect(status).toBe(202);
  accepted += 1;
}
const reports = () => Promise.all(Array.from({ length: 10 }, report));

async function stored(): Promise<number> {
  const [sum] = await system.database.rows<{ yes: string | null }>('select sum(yes) as yes from flags.feature_usage');
  return Number(sum?.yes);
}

test('the counts that were accepted equal the stored ones', async () => {
  for (const [point, isStored] of [
    ['before-report', false],
    ['after-report', true],
  ] as const) {
    const before = await stored();
    const flags = await startFlags(point);
    await reports();
    await eventually(async () => {
      // The gateway asks for the changes of flags first, which fails while flags does not answer.
      await system.services.gateway.processAll().catch(() => {});
      expect(flags.signalCode).toBe('SIGKILL');
    });
    expect((await stored()) > before).toBe(isStored);
    await reports();
  }
  last = await startFlags('never');
  await reports();
  await system.stopService('gateway');
  expect(await stored()).toBe(accepted);
});
