// Proves that no event is lost when the publishing process is killed between commit and publish or between publish and
// mark, or is paused for longer than its lease. Duplicates in the stream are allowed; they have the same message id.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { longTest } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Bus, connectBus } from '../../bus/index.ts';
import { type Database, type SharedTables, startRelay } from '../index.ts';
import { appendAlone, byKey, expectedByKey, readStream, withoutDuplicates } from '../testing/events.ts';
import type { Task } from '../testing/relay-process.ts';
import { asOwner, createTestSchemas, silent, type TestSchemas } from '../testing/test-schemas.ts';

let schemas: TestSchemas;
let db: Database<SharedTables>;
let bus: Bus;
let prefix: string;
let children: ChildProcess[];

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
});
afterAll(() => schemas.drop());

beforeEach(async () => {
  await asOwner(
    schemas.ownerUrl,
    'truncate flags.outbox, flags.lease; update flags.outbox_stream set last_source_sequence = 0, incarnation = null',
  );
  db = schemas.connect('flags');
  prefix = `db${randomBytes(5).toString('hex')}`;
  bus = await connectBus({ url: inject('natsUrl'), name: 'crash-test', prefix, log: silent });
  await bus.ensureStreams(['EVENTS']);
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await bus.drain();
  await db.close();
});

function relayProcess(task: Pick<Task, 'appends' | 'dies'>): ChildProcess {
  const whole: Task = { databaseUrl: schemas.urlFor('flags'), natsUrl: inject('natsUrl'), prefix, ...task };
  const file = path.join(import.meta.dirname, '../testing/relay-process.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(whole)], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

async function untilOutput(child: ChildProcess, word: string): Promise<void> {
  let output = '';
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes(word)) return;
  }
  throw new Error(`the process ended without the output "${word}": ${output}`);
}

async function publishRest(): Promise<void> {
  const relay = startRelay({ db, bus, log: silent });
  await relay.processAll();
  await relay.stop();
}

for (const when of ['before', 'after'] as const) {
  const moment = when === 'before' ? 'between commit and publish' : 'between publish and mark';
  test(`keeps every event when the process is killed ${moment}`, async () => {
    for (const nth of [1, 4]) {
      const child = relayProcess({ appends: 9, dies: { when, nth } });
      const [, signal] = await once(child, 'exit');
      expect(signal).toBe('SIGKILL');
      expect(await unpublished()).toBeGreaterThan(0);
      await expireLease();
    }
    await publishRest();
    const messages = withoutDuplicates(await readStream(bus));
    expect(messages).toHaveLength(18);
    expect(byKey(messages)).toEqual(await expectedByKey(db));
  });
}

async function unpublished(): Promise<number> {
  const { count } = await db.kysely
    .selectFrom('outbox')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('published_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** A killed process does not release its lease. The last test waits for the real expiry; here that would cost time. */
async function expireLease(): Promise<void> {
  await asOwner(schemas.ownerUrl, 'update flags.lease set expires_at = now()');
}

longTest(
  'a relay that was paused while another took over publishes no key out of order when it continues',
  async () => {
    const paused = relayProcess({ appends: 3 });
    await untilOutput(paused, 'leading');
    let isWriting = true;
    const keys = ['key 0', 'key 1', 'key 2', 'key 3'];
    const writing = Promise.all(
      keys.map(async (key) => {
        for (let n = 0; isWriting; n++) await appendAlone(db, key, n);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    paused.kill('SIGSTOP');
    const successor = startRelay({ db, bus, log: silent });
    const epoch = async () => (await db.kysely.selectFrom('lease').select('epoch').executeTakeFirstOrThrow()).epoch;
    await expect.poll(epoch).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    paused.kill('SIGCONT');
    // From here on it would publish nothing, also without the fence.
    await untilOutput(paused, 'lost the lease');
    isWriting = false;
    await writing;
    await successor.processAll();
    await successor.stop();
    expect(byKey(withoutDuplicates(await readStream(bus)))).toEqual(await expectedByKey(db));
  },
);
