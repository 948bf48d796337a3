// Proves on a real Postgres that only the holder of the lease can number and mark rows.
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Database, type RawBuilder, type SharedTables, sql } from '../index.ts';
import { appendAlone, appendNow } from '../testing/events.ts';
import { asOwner, createTestSchemas, type TestSchemas } from '../testing/test-schemas.ts';
import { findUnpublished, markPublished } from './rows.ts';

let schemas: TestSchemas;
let db: Database<SharedTables>;

/** As in production, the fences differ in their values only: the statements that contain them have names. */
const fence = (state: 'current' | 'lost' | 'failing'): RawBuilder<unknown> => sql`
  select 1 where case ${state}::text when 'current' then true when 'lost' then false
    else 1 / (select count(*) from outbox_stream where id = 0) = 1 end`;
const currentFence = fence('current');
const lostFence = fence('lost');
const nothing = { ids: [], keys: [] };

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
  db = schemas.connect('flags');
});
beforeEach(() =>
  asOwner(schemas.ownerUrl, 'truncate flags.outbox; update flags.outbox_stream set last_source_sequence = 0'),
);
afterAll(() => schemas.drop());

const read = async (fence: RawBuilder<unknown>, without: Parameters<typeof findUnpublished>[2] = nothing, limit = 10) =>
  (await findUnpublished(db.kysely, fence, without, limit)).map((row) => row.source_sequence);
const ids = async () => (await db.kysely.selectFrom('outbox').select('id').orderBy('id').execute()).map(({ id }) => id);

test('rows are numbered once, in the order of their ids, except those that the read leaves out', async () => {
  for (const key of ['a', 'b', 'a', 'c', 'a']) await appendAlone(db, key);
  const [, , third] = await ids();
  expect(await read(currentFence, { ids: [third!], keys: ['b'] }, 2)).toEqual([1, 2]);
  expect(await read(currentFence)).toEqual([1, 3, 4, 2, 5]);
  await appendAlone(db, 'a');
  expect(await read(currentFence)).toEqual([1, 3, 4, 2, 5, 6]);
});

test('a row that is committed after later ones is numbered after them', async () => {
  await db.transaction(async (late) => {
    await appendNow(late, 'late');
    await appendAlone(db, 'other');
    expect(await read(currentFence)).toEqual([1]);
  });
  expect(await read(currentFence)).toEqual([2, 1]);
});

test('without the lease no row is numbered or marked', async () => {
  await appendAlone(db, 'a');
  expect(await read(lostFence)).toEqual([null]);
  expect(await markPublished(db.kysely, lostFence, await ids())).toBe(false);
  expect(await read(currentFence)).toEqual([1]);
  expect(await markPublished(db.kysely, currentFence, await ids())).toBe(true);
  expect(await read(currentFence)).toEqual([]);
});

test('a read without rows to number does not lock the lease', async () => {
  const failing = fence('failing');
  expect(await read(failing)).toEqual([]);
  await appendAlone(db, 'a');
  expect(await read(currentFence)).toEqual([1]);
  expect(await read(failing)).toEqual([1]);
  await appendAlone(db, 'a');
  await expect(read(failing)).rejects.toThrow('division by zero');
});
