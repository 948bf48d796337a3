// Tests which signals the retention deletes and keeps, and that partitions exist before their signals. The owner makes
// partitions of ten ids instead of a million; the retention uses only their bounds.
import { createDatabase, type Database, LeaseLostError, sql } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { createTestDatabase, eventually, longTest, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignalsTables } from '../db/schema.ts';
import { storeSignals } from '../signals/store-signals.ts';
import { keepSignals, startRetention } from './keep-signals.ts';
import { makePartitions } from './retention.repo.ts';

const partitionSize = 1_000_000;
const leader = { requireCurrent: async () => {}, signal: new AbortController().signal };
const log = createLogger({ service: 'test', level: 'silent' });

let database: TestDatabase;
let db: Database<SignalsTables>;

beforeEach(async () => {
  database = await createTestDatabase();
  db = createDatabase<SignalsTables>({ url: database.urlFor('signals'), schema: 'signals', log });
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

const store = (...ids: number[]) =>
  storeSignals(
    db.kysely,
    ids.map((id) => ({
      ...{ id, endpointId: 1, tokenId: 1, payload: `{"id":${id}}`, createdAt: '2026-01-31T00:00:00.000Z' },
      ...{ streamIncarnation: null, streamSequence: id },
    })),
  );
const age = (days: number, upTo = Number.MAX_SAFE_INTEGER) =>
  database.rows(`update signals.signals set stored_at = now() - $1 * interval '1 day' where id <= $2`, [days, upTo]);
const drawUpTo = (id: number) => database.rows(`select setval('signals.signal_ids', $1)`, [id]);
const idsIn = async (table: string) =>
  (await database.rows<{ id: string }>(`select id from signals.${table} order by id`)).map(({ id }) => Number(id));
const partitions = async () =>
  (
    await database.rows<{ name: string }>(`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'signals.signals'::regclass order by relname`)
  ).map(({ name }) => name.replace('signals_', ''));

const current = Array.from({ length: 10 }, (_, index) => partitionSize + index);
const idsBetween = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Divides the first partition at the ids 10 and 20. Stores signals of its beginning and of the current partition. */
async function dividedByTen(): Promise<void> {
  await database.rows(`
    set role yardarm_signals_owner; set search_path = signals;
    drop table signals_p0;
    create table signals_a partition of signals for values from (0) to (10);
    create table signals_b partition of signals for values from (10) to (20);
    create table signals_c partition of signals for values from (20) to (1000000)`);
  await store(...idsBetween(1, 19), ...current);
  await drawUpTo(current.at(-1)!);
}

describe('the retention', () => {
  it('drops partitions with only old signals, and deletes older signals of the next', async () => {
    await dividedByTen();
    await age(30.5, 16);
    await age(31.5, 13);
    await keepSignals(db, leader, 30);
    expect(await partitions()).toEqual(['b', 'c', 'p1', 'p2', 'p3', 'rest']);
    expect(await idsIn('signals')).toEqual([...idsBetween(14, 19), ...current]);
  });

  it('keeps the partition whose ids are being drawn', async () => {
    await dividedByTen();
    await age(30.5);
    await keepSignals(db, leader, 30);
    expect(await partitions()).toEqual(['p1', 'p2', 'p3', 'rest']);
    expect(await idsIn('signals')).toEqual(current);
  });

  it('keeps a partition with one signal that was stored late', async () => {
    await dividedByTen();
    await age(30.5, 9);
    await database.rows('update signals.signals set stored_at = now() where id = 4');
    await keepSignals(db, leader, 30);
    expect(await idsIn('signals_a')).toEqual(idsBetween(1, 9));
  });

  it('stores a signal whose partition was dropped meanwhile, and deletes it when it is old', async () => {
    await dividedByTen();
    await age(30.5, 9);
    await keepSignals(db, leader, 30);
    expect(await store(3, 12)).toBe(1);
    expect(await idsIn('signals_rest')).toEqual([3]);
    await age(31.5, 3);
    await keepSignals(db, leader, 30);
    expect(await idsIn('signals_rest')).toEqual([]);
  });

  longTest('waits for a reader that blocks a drop, and nothing is half done', async () => {
    await dividedByTen();
    await age(30.5, 9);
    await db.transaction(async (trx) => {
      await trx.selectFrom('signals').select('id').limit(1).execute();
      await expect(keepSignals(db, leader, 30)).rejects.toMatchObject({ code: 'unavailable' });
    });
    expect(await idsIn('signals')).toHaveLength(29);
    await keepSignals(db, leader, 30);
    expect(await idsIn('signals')).toHaveLength(20);
  });

  it('deletes many old signals in several statements', async () => {
    await store(...Array.from({ length: 2_500 }, (_, index) => index + 1));
    await age(31.5, 2_400);
    await keepSignals(db, leader, 30);
    expect(await idsIn('signals')).toHaveLength(100);
  });

  it('cannot be less than eight days, and does nothing for a leader that has lost its lease', async () => {
    await expect(keepSignals(db, leader, 7)).rejects.toMatchObject({ code: '22023' });
    await drawUpTo(partitionSize);
    const lost = {
      ...leader,
      async requireCurrent() {
        throw new LeaseLostError('another replica has the lease');
      },
    };
    await expect(keepSignals(db, lost, 30)).rejects.toThrow(LeaseLostError);
    expect(await partitions()).toEqual(['p0', 'p1', 'p2', 'rest']);
  });
});

describe('partitions', () => {
  it('are made for the last drawn id and two ahead, once by two replicas at the same time', async () => {
    expect(await partitions()).toEqual(['p0', 'p1', 'p2', 'rest']);
    await drawUpTo(partitionSize);
    await Promise.all([makePartitions(db, leader), makePartitions(db, leader)]);
    expect(await partitions()).toEqual(['p0', 'p1', 'p2', 'p3', 'rest']);
  });

  it('that come too late get the signals that were stored before, which stay unique', async () => {
    const ids = [3 * partitionSize, 4 * partitionSize - 1, 9 * partitionSize];
    await store(...ids);
    expect(await idsIn('signals_rest')).toEqual(ids);
    await drawUpTo(2 * partitionSize);
    // A store that has chosen the partition before the move fails, and its messages are delivered again.
    const storeAgain = (id: number) => store(id).catch(() => store(id));
    const storing = Promise.all(Array.from({ length: 200 }, (_, index) => storeAgain(3 * partitionSize + index)));
    await makePartitions(db, leader);
    await storing;
    expect(await idsIn('signals_p3')).toEqual([...idsBetween(ids[0]!, ids[0]! + 199), ids[1]]);
    expect(await idsIn('signals_rest')).toEqual([9 * partitionSize]);
    expect(await store(...ids)).toBe(0);
    const [row] = await database.rows('select payload_json from signals.signals where id = $1', [ids[0]]);
    expect(row).toEqual({ payload_json: { id: ids[0] } });
  });

  it('are made by one of two replicas, and by the other when it stops', async () => {
    const options = { db, log, retentionDays: 30 };
    const other = createDatabase<SignalsTables>({ url: database.urlFor('signals'), schema: 'signals', log });
    await drawUpTo(partitionSize);
    const first = startRetention(options);
    await eventually(async () => expect(await partitions()).toContain('p3'));
    const second = startRetention({ ...options, db: other });
    await drawUpTo(2 * partitionSize);
    await first.stop();
    await eventually(async () => expect(await partitions()).toContain('p4'));
    await second.stop();
    await other.close();
  });

  it.each([
    ['create a partition', 'create table signals_p7 partition of signals for values from (7000000) to (8000000)'],
    ['drop a partition', 'drop table signals_p0'],
    ['make a partition of its choice', 'select make_signal_partition(7)'],
  ])('are made only by their owner: the login may not %s', async (_, statement) => {
    await expect(sql.raw(statement).execute(db.kysely)).rejects.toMatchObject({ code: '42501' });
  });
});
