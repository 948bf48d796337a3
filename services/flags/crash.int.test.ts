// Proves that an event whose transaction has committed reaches the stream although the process dies, by real processes killed with
// SIGKILL at two points. It does not assert what readers of the stream do with an event that comes twice: its id is the same.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectBus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/flags';
import { createLogger } from '@yardarm/shared/log';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { admin, contextOf, flagsEnvironment, startFlagsRig } from './testing/flags-rig.ts';

const child = fileURLToPath(new URL('testing/crash-child.ts', import.meta.url));

let database: TestDatabase;
let running: ChildProcess | undefined;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  if (running && running.exitCode === null && running.signalCode === null) running.kill('SIGKILL');
  await database.drop();
});

/** Starts the child, makes four flags by it, and waits until it has killed itself. */
async function crash(point: string, at: number, environment: Record<string, string>): Promise<void> {
  const process = spawn(globalThis.process.execPath, [child, point, String(at)], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running = process;
  const ended = once(process, 'exit');
  await once(process.stdout, 'data');
  const log = createLogger({ service: 'crash-test', level: 'error' });
  const bus = await connectBus({
    url: environment.NATS_URL!,
    name: 'crash-test',
    prefix: environment.YARDARM_PREFIX!,
    log,
  });
  const asked = ['one', 'two', 'three', 'four'].map((name) =>
    // The process may die before it has answered, or before it was asked: what it committed is what counts.
    bus.request(
      contracts.createFeature,
      { projectId: 'default', name },
      { ...contextOf(admin), deadline: Date.now() + 2_000 },
    ),
  );
  const [, signal] = await ended;
  expect(signal).toBe('SIGKILL');
  await Promise.allSettled(asked);
  await bus.drain();
}

describe.each([
  ['between commit and publish', 'before-publish', 1],
  ['between commit and publish of a later one', 'before-publish', 3],
  ['between publish and mark', 'after-publish', 1],
  ['between publish and mark of a later one', 'after-publish', 2],
])('a process killed %s', (_, point, at) => {
  it('loses no event: the next one publishes all that were committed, each once by its id', async () => {
    const environment = flagsEnvironment(database.urlFor('flags'), inject('natsUrl'));
    await crash(point, at, environment);

    const rig = await startFlagsRig(environment);
    try {
      const committed = (await rig.events()).map(({ eventId }) => eventId);
      expect(committed.length).toBeGreaterThanOrEqual(1);
      const names = new Set((await rig.events()).map(({ featureName }) => featureName));
      const stored = await rig.db.kysely.selectFrom('features').select('name').execute();
      expect(names).toEqual(new Set(stored.map(({ name }) => name)));

      await rig.service.processAll();
      const inStream = (await rig.published()).map(({ payload }) => (payload as { eventId: string }).eventId);
      expect([...new Set(inStream)].sort()).toEqual([...committed].sort());
      const unmarked = await rig.db.kysely
        .selectFrom('outbox')
        .select('id')
        .where('published_at', 'is', null)
        .execute();
      expect(unmarked).toEqual([]);
    } finally {
      await rig.stop();
    }
  });
});
