// Proves on a real Postgres that only the holder of the lease can number and mark rows.
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Database, type RawBuilder, type SharedTables, sql } from '../index.ts';
import { appendAlone, appendNow } from '../testing/events.ts';
import { asOwner, createTestSchemas, type TestSchemas } from '../testing/test-schemas.ts';
import { replay, replayBatch } from './replay.ts';
import { findUnpublished, markPublished, markUnpublished } from './rows.ts';

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

test('rows are marked as unpublished from the lowest id on, and each is read once', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) await appendAlone(db, key);
  const [first, second, third, fourth, fifth] = await ids();
  await db.kysely.updateTable('outbox').set({ published_at: new Date() }).where('id', '<>', second!).execute();
  await db.kysely
    .updateTable('outbox')
    .set({ created_at: new Date(0) })
    .where('id', '=', third!)
    .execute();
  const mark = (after: number) => markUnpublished(db.kysely, { since: new Date(1), after, limit: 2 });
  expect(await mark(0)).toEqual({ marked: 1, last: second });
  // The relay has published it again meanwhile.
  await markPublished(db.kysely, currentFence, [first!]);
  expect(await mark(second!)).toEqual({ marked: 1, last: fourth });
  expect(await mark(fourth!)).toEqual({ marked: 1, last: null });
  const published = db.kysely.selectFrom('outbox').select('id').where('published_at', 'is not', null).orderBy('id');
  expect((await published.execute()).map(({ id }) => id)).toEqual([first, third]);
  expect(await mark(fifth!)).toEqual({ marked: 0, last: null });
});

test('a replay reaches every row of several batches', async () => {
  const count = 2 * replayBatch;
  await sql`
    insert into outbox (event_id, type, ordering_key, payload, published_at)
    select gen_random_uuid(), 'feature-created', 'a', '{}', now() from generate_series(1, ${count}::integer) n`.execute(
    db.kysely,
  );
  expect(await replay(db, { since: new Date(0) })).toBe(count);
  expect(await replay(db, { since: new Date(0) })).toBe(0);
});
