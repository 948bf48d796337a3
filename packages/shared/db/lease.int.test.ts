// Proves that at most one holder at a time can write in a lease's name, and that a lease goes on to the next.
// Does not assert how soon.

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Database, type Lease, LeaseLostError, type SharedTables, sql, startLease } from './index.ts';
import { asOwner, createTestSchemas, silent, type TestSchemas } from './testing/test-schemas.ts';

let schemas: TestSchemas;
let db: Database<SharedTables>;

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
  db = schemas.connect('flags');
});
afterAll(() => schemas.drop());

const soon = () => AbortSignal.timeout(20_000);
const start = (name: string, events: string[] = []): Lease =>
  startLease({
    db,
    name,
    log: silent,
    onAcquired: (epoch) => events.push(`acquired ${epoch}`),
    onLost: () => events.push('lost'),
  });
const runOut = (name: string) =>
  asOwner(schemas.ownerUrl, `update flags.lease set expires_at = now() - interval '1 s' where name = '${name}'`);

test('twenty racers have one winner, and after it stops there is one again, with the next epoch', async () => {
  const racers = Array.from({ length: 20 }, () => start('race'));
  const signal = soon();
  const first = await Promise.race(racers.map(async (racer) => ({ racer, ...(await racer.whenHeld(signal)) })));
  expect(racers.filter((racer) => racer.held())).toEqual([first.racer]);
  expect(first.epoch).toBe(1);

  await first.racer.stop();
  const others = racers.filter((racer) => racer !== first.racer);
  const second = await Promise.race(others.map(async (racer) => ({ racer, ...(await racer.whenHeld(signal)) })));
  expect(second.epoch).toBe(2);
  await Promise.all(racers.map((racer) => racer.stop()));
});

test('is free at once when its holder stops', async () => {
  const lease = start('given back');
  await lease.whenHeld(soon());
  await lease.stop();
  const free = sql`select name from lease where name = 'given back' and holder is null and expires_at <= clock_timestamp()`;
  expect((await free.execute(db.kysely)).rows).toHaveLength(1);
});

test('is held by one alone at every moment while holders come and go', async () => {
  const holds: { from: number; to: number; epoch: number }[] = [];
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const lease = start('turns');
      const { epoch } = await lease.whenHeld(soon());
      const from = performance.now();
      await db.transaction((trx) => lease.assertHeld(trx, epoch));
      holds.push({ from, to: performance.now(), epoch });
      await lease.stop();
    }),
  );
  holds.sort((a, b) => a.from - b.from);
  expect(holds.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5, 6]);
  for (const [index, hold] of holds.slice(1).entries()) expect(hold.from).toBeGreaterThanOrEqual(holds[index]!.to);
});

test('the fence refuses an old epoch, and the holder that lost is told', async () => {
  const events: string[] = [];
  const old = start('fence', events);
  const { epoch } = await old.whenHeld(soon());
  // What happens to a holder whose process stands still for longer than the lease.
  await asOwner(
    schemas.ownerUrl,
    `update flags.lease set epoch = epoch + 1, holder = gen_random_uuid(), expires_at = now() + interval '3 s' where name = 'fence'`,
  );
  const writing = db.transaction((trx) => old.assertHeld(trx, epoch));
  await expect(writing).rejects.toBeInstanceOf(LeaseLostError);
  const told = [`acquired ${epoch}`, 'lost', `acquired ${epoch + 2}`];
  await expect.poll(() => events).toEqual(told);
  expect(old.held()).toEqual({ epoch: epoch + 2 });
  await old.stop();
});

test('a statement that has the fence in it is let through for the current epoch alone, and nobody takes the lease from under it', async () => {
  const lease = start('statement');
  const { epoch } = await lease.whenHeld(soon());
  const isLetThrough = async (trx = db.kysely) => {
    const { rows } = await sql<{ held: boolean }>`
      with held as (${lease.fence(epoch)}) select exists (select from held) as held`.execute(trx);
    return rows[0]!.held;
  };
  await db.transaction(async (trx) => {
    expect(await isLetThrough(trx)).toBe(true);
    const free = await asOwner(
      schemas.ownerUrl,
      `select 1 from flags.lease where name = 'statement' for update skip locked`,
    );
    expect(free).toEqual([]);
  });
  await asOwner(
    schemas.ownerUrl,
    `update flags.lease set epoch = epoch + 1, holder = gen_random_uuid() where name = 'statement'`,
  );
  expect(await isLetThrough()).toBe(false);
  await lease.stop();
});

test('nobody takes the lease from under a transaction that was let through the fence, which keeps its holder from nothing', async () => {
  const holder = start('under');
  const { epoch } = await holder.whenHeld(soon());
  let asked = 0;
  const leases = db.leases.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      asked += 1;
      return result;
    },
  });
  const rival = startLease({ db: { ...db, leases }, name: 'under', log: silent });
  await db.transaction(async (trx) => {
    await holder.assertHeld(trx, epoch);
    await holder.stop();
    // It is free by its time from here on. A try has two answers, and one may be under way.
    const before = asked;
    await expect.poll(() => asked).toBeGreaterThan(before + 3);
    expect(rival.held()).toBeNull();
    await sql`select 1`.execute(trx);
  });
  expect(await rival.whenHeld(soon())).toEqual({ epoch: epoch + 1 });
  await rival.stop();
});

test('a holder that is alone keeps a lease that ran out in the database meanwhile', async () => {
  const events: string[] = [];
  const lease = start('late', events);
  const { epoch } = await lease.whenHeld(soon());
  await runOut('late');
  await db.transaction((trx) => lease.assertHeld(trx, epoch));
  await lease.stop();
  expect(events).toEqual([`acquired ${epoch}`]);
});

test('is lost without a word from the database when it cannot be renewed', async () => {
  const events: string[] = [];
  const lonely = schemas.connect('flags');
  const lease = startLease({ db: lonely, name: 'cut', log: silent, onLost: () => events.push('lost') });
  await lease.whenHeld(soon());
  await lonely.close();
  while (lease.held()) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(events).toEqual(['lost']);
  await lease.stop();
});

test('waiting for a lease ends with the signal', async () => {
  const holder = start('signal');
  await holder.whenHeld(soon());
  const rival = start('signal');
  await expect(rival.whenHeld(AbortSignal.timeout(50))).rejects.toThrow();
  await Promise.all([holder.stop(), rival.stop()]);
});
