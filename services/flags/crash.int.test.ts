// Proves that a committed event reaches the stream although the process dies. Real processes are killed with SIGKILL at
// two points. What readers of the stream do with a repeated event is not asserted; its id is the same.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as contracts from '@yardarm/shared/contracts/flags';
import { casesOfRun, createTestDatabase } from '@yardarm/testing';
import { describe, expect, inject, it } from 'vitest';
import { loadFlagsConfig } from './config.ts';
import { startFlags } from './service.ts';
import { admin, contextOf, type FlagsObserver, flagsEnvironment, observeFlags } from './testing/flags-rig.ts';

const child = fileURLToPath(new URL('testing/crash-child.ts', import.meta.url));

async function crash(observer: FlagsObserver, point: string, at: number): Promise<void> {
  const process = spawn(globalThis.process.execPath, [child, point, String(at)], {
    env: observer.environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(process, 'exit');
  // A child that does not start prints nothing, but ends.
  await Promise.race([once(process.stdout, 'data'), ended]);
  const asked = ['one', 'two', 'three', 'four'].map((name) =>
    // The child may die before it answers or begins. Only what it committed counts.
    observer.bus.request(
      contracts.createFeature,
      { projectId: 'default', name },
      { ...contextOf(admin), deadline: Date.now() + 2_000 },
    ),
  );
  const [, signal] = await ended;
  expect(signal).toBe('SIGKILL');
  await Promise.allSettled(asked);
}

async function idsInStream(observer: FlagsObserver): Promise<string[]> {
  return (await observer.published()).map(({ payload }) => (payload as { eventId: string }).eventId);
}

describe('an event survives the process that committed it', () => {
  it.each(
    casesOfRun(2, [
      ['between commit and publish', 'before-publish', 1],
      ['between publish and mark', 'after-publish', 1],
      ['between commit and publish of a later one', 'before-publish', 3],
      ['between publish and mark of a later one', 'after-publish', 2],
    ]),
  )('killed %s: the next process publishes all committed events, each once by its id', async (_, point, at) => {
    const database = await createTestDatabase();
    const observer = await observeFlags(flagsEnvironment(database.urlFor('flags'), inject('natsUrl')));
    try {
      await crash(observer, point, at);
      const committed = (await observer.events()).map(({ eventId }) => eventId).sort();
      const flags = await observer.db.kysely.selectFrom('features').select('name').orderBy('name').execute();
      expect((await observer.events()).map(({ featureName }) => featureName).sort()).toEqual(
        flags.map(({ name }) => name),
      );
      const published = await idsInStream(observer);
      const unmarked = await observer.unmarked();
      if (point === 'before-publish') expect(published.length).toBeLessThan(committed.length);
      else expect(unmarked.filter((id) => published.includes(id))).not.toEqual([]);

      await database.expireLeases('flags');
      const service = await startFlags(loadFlagsConfig(observer.environment), observer.log);
      await service.processAll();
      expect([...new Set(await idsInStream(observer))].sort()).toEqual(committed);
      expect(await observer.unmarked()).toEqual([]);
      await service.drain();
      await service.stop();
    } finally {
      await observer.close();
      await database.drop();
    }
  });
});
