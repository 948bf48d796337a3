// Proves that at most one holder at a time can write under a lease, and that another process acquires it afterwards.
// Does not assert how soon.

import { longTest } from '@yardarm/testing';
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
const start = (name: string, onLost = () => {}): Lease => startLease({ db, name, log: silent, onLost });
const expire = (name: string) =>
  asOwner(schemas.ownerUrl, `update flags.lease set expires_at = now() - interval '1 s' where name = '${name}'`);

test('one of twenty candidates acquires the lease, and after it stops another does, with the next epoch', async () => {
  const leases = Array.from({ length: 20 }, () => start('race'));
  const signal = soon();
  const first = await Promise.race(leases.map(async (lease) => ({ lease, ...(await lease.whenOwned(signal)) })));
  expect(leases.filter((lease) => lease.owned())).toEqual([first.lease]);
  expect(first.epoch).toBe(1);

  await first.lease.stop();
  const others = leases.filter((lease) => lease !== first.lease);
  const second = await Promise.race(others.map(async (lease) => ({ lease, ...(await lease.whenOwned(signal)) })));
  expect(second.epoch).toBe(2);
  await Promise.all(leases.map((lease) => lease.stop()));
});

test('a lease is free at once when its holder stops', async () => {
  const lease = start('released');
  await lease.whenOwned(soon());
  await lease.stop();
  const free = sql`select name from lease where name = 'released' and holder is null and expires_at <= clock_timestamp()`;
  expect((await free.execute(db.kysely)).rows).toHaveLength(1);
});

test('a lease never has two holders at once while holders change', async () => {
  const terms: { from: number; to: number; epoch: number }[] = [];
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const lease = start('changing');
      const { epoch } = await lease.whenOwned(soon());
      const from = performance.now();
      await db.transaction((trx) => lease.requireCurrent(trx, epoch));
      terms.push({ from, to: performance.now(), epoch });
      await lease.stop();
    }),
  );
  terms.sort((a, b) => a.from - b.from);
  expect(terms.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5, 6]);
  for (const [index, term] of terms.slice(1).entries()) expect(term.from).toBeGreaterThanOrEqual(terms[index]!.to);
});

test('the fence refuses an old epoch, and the old holder gets onLost', async () => {
  let losses = 0;
  const old = start('fence', () => {
    losses += 1;
  });
  const { epoch } = await old.whenOwned(soon());
  // This happens to a holder whose process is paused for longer than the lease.
  await asOwner(
    schemas.ownerUrl,
    `update flags.lease set epoch = epoch + 1, holder = gen_random_uuid(), expires_at = now() + interval '3 s' where name = 'fence'`,
  );
  const writing = db.transaction((trx) => old.requireCurrent(trx, epoch));
  await expect(writing).rejects.toBeInstanceOf(LeaseLostError);
  await expect.poll(() => old.owned()).toEqual({ epoch: epoch + 2 });
  expect(losses).toBe(1);
  await old.stop();
});

test('a fenced statement passes for the current epoch only, and its transaction keeps others from acquiring the lease', async () => {
  const lease = start('statement');
  const { epoch } = await lease.whenOwned(soon());
  const passesFence = async (trx = db.kysely) => {
    const { rows } = await sql<{ passes: boolean }>`
      with fence as (${lease.fence(epoch)}) select exists (select from fence) as passes`.execute(trx);
    return rows[0]!.passes;
  };
  await db.transaction(async (trx) => {
    expect(await passesFence(trx)).toBe(true);
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
  expect(await passesFence()).toBe(false);
  await lease.stop();
});

test('a fenced transaction keeps others from acquiring the lease, and does not keep its holder from releasing it', async () => {
  const holder = start('under');
  const { epoch } = await holder.whenOwned(soon());
  let attempts = 0;
  const leases = db.leases.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      attempts += 1;
      return result;
    },
  });
  const rival = startLease({ db: { ...db, leases }, name: 'under', log: silent });
  await db.transaction(async (trx) => {
    await holder.requireCurrent(trx, epoch);
    await holder.stop();
    // The lease has expired. The first attempt has two results, and one attempt may be in flight.
    const before = attempts;
    await expect.poll(() => attempts).toBeGreaterThan(before + 3);
    expect(rival.owned()).toBeNull();
    await sql`select 1`.execute(trx);
  });
  expect(await rival.whenOwned(soon())).toEqual({ epoch: epoch + 1 });
  await rival.stop();
});

test('a process that waits inserts the row once, and again after a failure, since the database may be another', async () => {
  const holder = start('once');
  await holder.whenOwned(soon());
  const statements: string[] = [];
  const leases = db.leases.withPlugin({
    transformQuery({ node }) {
      statements.push(node.kind === 'RawNode' ? node.sqlFragments.join('').trim().slice(0, 6) : node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const rival = startLease({ db: { ...db, leases }, name: 'once', log: silent });
  const attempts = () => statements.filter((statement) => statement === 'update').length;
  await expect.poll(attempts).toBeGreaterThan(3);
  expect(statements.filter((statement) => statement === 'insert')).toHaveLength(1);
  await asOwner(schemas.ownerUrl, 'alter table flags.lease rename to away');
  await holder.stop();
  const before = attempts();
  await expect.poll(attempts).toBeGreaterThan(before + 2);
  await asOwner(schemas.ownerUrl, "delete from flags.away where name = 'once'; alter table flags.away rename to lease");
  expect(await rival.whenOwned(soon())).toEqual({ epoch: 1 });
  await rival.stop();
});

test('a holder without rivals keeps a lease that has expired in the database', async () => {
  let losses = 0;
  const lease = start('late', () => {
    losses += 1;
  });
  const { epoch } = await lease.whenOwned(soon());
  await expire('late');
  await db.transaction((trx) => lease.requireCurrent(trx, epoch));
  expect([lease.owned(), losses]).toEqual([{ epoch }, 0]);
  await lease.stop();
});

longTest('a lease that cannot be renewed is lost without an answer of the database', async () => {
  const events: string[] = [];
  const disconnected = schemas.connect('flags');
  const lease = startLease({ db: disconnected, name: 'cut', log: silent, onLost: () => events.push('lost') });
  await lease.whenOwned(soon());
  await disconnected.close();
  // By the clock it may be over before the timer that reports it has run.
  await expect.poll(() => events).toEqual(['lost']);
  expect(lease.owned()).toBeNull();
  await lease.stop();
});

test('waiting for a lease ends with the signal', async () => {
  const holder = start('signal');
  await holder.whenOwned(soon());
  const rival = start('signal');
  await expect(rival.whenOwned(AbortSignal.timeout(50))).rejects.toThrow();
  await Promise.all([holder.stop(), rival.stop()]);
});
