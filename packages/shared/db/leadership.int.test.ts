// Proves that one replica at a time leads, that a leadership ends with its lease, and that a failed leader leads again.
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { scrape } from '../telemetry/index.ts';
import { type Database, type Leadership, LeaseLostError, runAsLeader, type SharedTables } from './index.ts';
import { asOwner, createTestSchemas, silent, type TestSchemas } from './testing/test-schemas.ts';

let schemas: TestSchemas;
let db: Database<SharedTables>;

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
  db = schemas.connect('flags');
});
afterAll(() => schemas.drop());

const options = (name: string) => ({ db, name, log: silent, pauseMs: 1 });

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

/** A leader that leads until its signal aborts. It records each leadership. */
function startLeader(name: string) {
  const leaderships: Leadership[] = [];
  let began = () => {};
  const leader = runAsLeader(options(name), async (leadership) => {
    leaderships.push(leadership);
    began();
    await aborted(leadership.signal);
  });
  return {
    stop: () => leader.stop(),
    leaderships,
    async next() {
      const count = leaderships.length;
      while (leaderships.length === count) await new Promise<void>((resolve) => (began = resolve));
      return leaderships.at(-1)!;
    },
  };
}

test('one of several leaders leads, and after it stops another leads under the next epoch', async () => {
  const leaders = [startLeader('one'), startLeader('one'), startLeader('one')];
  const epochs: number[] = [];
  for (
    let waiting = leaders;
    waiting.length > 0;
    waiting = waiting.filter((leader) => leader.leaderships.length === 0)
  ) {
    const leadership = await Promise.race(waiting.map((leader) => leader.next()));
    const leading = waiting.filter((leader) => leader.leaderships.length > 0);
    expect(leading).toHaveLength(1);
    expect(leadership.isCurrent()).toBe(true);
    epochs.push(leadership.epoch);
    await leading[0]!.stop();
    expect(leadership.isCurrent()).toBe(false);
  }
  expect(epochs).toEqual([1, 2, 3]);
});

test('when another process acquires the lease, the signal aborts and transactions of the old epoch are refused', async () => {
  const leader = startLeader('acquired');
  const first = await leader.next();
  await db.transaction((trx) => first.requireCurrent(trx));
  await asOwner(
    schemas.ownerUrl,
    `update flags.lease set epoch = epoch + 1, holder = gen_random_uuid(), expires_at = now() where name = 'acquired'`,
  );
  await expect(db.transaction((trx) => first.requireCurrent(trx))).rejects.toBeInstanceOf(LeaseLostError);
  const second = await leader.next();
  expect(first.signal.aborted).toBe(true);
  expect(second.epoch).toBe(first.epoch + 2);
  await leader.stop();
});

test('a stopped leader holds the lease until its work has ended', async () => {
  const seen: boolean[] = [];
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const leader = runAsLeader(options('last write'), async (leadership) => {
    begin();
    await aborted(leadership.signal);
    await db.transaction((trx) => leadership.requireCurrent(trx));
    seen.push(leadership.isCurrent());
  });
  await began;
  await leader.stop();
  expect(seen).toEqual([true]);
});

test('a leader leads again after it has failed or ended a leadership', async () => {
  let runs = 0;
  const ended: boolean[] = [];
  const { promise: third, resolve: reach } = Promise.withResolvers<number>();
  const leader = runAsLeader(options('again'), async (leadership) => {
    runs += 1;
    if (runs === 1) throw new Error('fails once');
    if (runs === 2) {
      leadership.end();
      ended.push(leadership.signal.aborted);
    } else {
      reach(leadership.epoch);
      await aborted(leadership.signal);
    }
  });
  expect(await third).toBe(1);
  expect(ended).toEqual([true]);
  await leader.stop();
});

test('the metrics say which leases this process holds, one per kind, and how often their work failed', async () => {
  const sample = async (name: string, lease: string) =>
    (await scrape()).split('\n').find((line) => line.startsWith(`${name}{service="flags",lease="${lease}"}`));
  const held = (lease: string) => sample('yardarm_db_leases_held', lease);
  const leader = startLeader('measured');
  await leader.next();
  const rival = startLeader('rival');
  const endpoints = [startLeader('of-endpoint-1'), startLeader('of-endpoint-27')];
  await Promise.all([rival, ...endpoints].map((each) => each.next()));
  await rival.stop();
  expect(await held('measured')).toMatch(/ 1$/);
  expect(await held('rival')).toBeUndefined();
  expect(await held('of-endpoint')).toMatch(/ 2$/);
  await asOwner(
    schemas.ownerUrl,
    `update flags.lease set epoch = epoch + 1, holder = gen_random_uuid(), expires_at = now() + interval '1 hour'
     where name = 'measured'`,
  );
  await expect.poll(() => held('measured')).toMatch(/ 0$/);
  await Promise.all([leader, ...endpoints].map((each) => each.stop()));

  let runs = 0;
  const { promise: second, resolve: repeat } = Promise.withResolvers<void>();
  const failing = runAsLeader(options('failing'), async (leadership) => {
    runs += 1;
    if (runs === 1) throw new Error('fails once');
    repeat();
    await aborted(leadership.signal);
  });
  await second;
  expect(await sample('yardarm_db_leader_failures_total', 'failing')).toMatch(/ 1$/);
  await failing.stop();
});

test('a leader can be stopped while another holds the lease', async () => {
  const holder = startLeader('busy');
  await holder.next();
  const rival = startLeader('busy');
  await rival.stop();
  expect(rival.leaderships).toEqual([]);
  await holder.stop();
});
