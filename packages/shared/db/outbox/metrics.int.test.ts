// Proves on a real Postgres which values a scrape has for an outbox, also while the outbox cannot be read.
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { scrape } from '../../telemetry/index.ts';
import { type Database, type SharedTables, sql } from '../index.ts';
import { appendAlone } from '../testing/events.ts';
import { asOwner, createTestSchemas, type TestSchemas } from '../testing/test-schemas.ts';
import { measureOutbox } from './metrics.ts';

let schemas: TestSchemas;
let db: Database<SharedTables>;
let stop: () => void;

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
  db = schemas.connect('flags');
  stop = measureOutbox(db);
});
beforeEach(() => asOwner(schemas.ownerUrl, 'truncate flags.outbox'));
afterAll(async () => {
  stop();
  await schemas.drop();
});

async function sample(name: string): Promise<number | undefined> {
  const line = (await scrape()).split('\n').find((text) => text.startsWith(`${name}{service="flags"}`));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

test('unpublished rows are counted, and the oldest has an age', async () => {
  expect(await sample('yardarm_outbox_rows')).toBe(0);
  expect(await sample('yardarm_outbox_oldest_seconds')).toBe(0);
  await appendAlone(db, 'a');
  await asOwner(schemas.ownerUrl, "update flags.outbox set created_at = now() - interval '1 hour'");
  await appendAlone(db, 'b');
  expect(await sample('yardarm_outbox_rows')).toBe(2);
  expect(await sample('yardarm_outbox_oldest_seconds')).toBeGreaterThanOrEqual(3_600);
  await asOwner(schemas.ownerUrl, 'update flags.outbox set published_at = now()');
  expect(await sample('yardarm_outbox_rows')).toBe(0);
  expect(await sample('yardarm_outbox_oldest_seconds')).toBe(0);
});

test('the gauges are absent while the outbox cannot be read, and present afterwards', async () => {
  const holder = new pg.Client({ connectionString: schemas.ownerUrl });
  await holder.connect();
  await holder.query('begin; lock table flags.outbox in access exclusive mode');
  expect(await sample('yardarm_outbox_rows')).toBeUndefined();
  await holder.end();
  await expect.poll(() => sample('yardarm_outbox_rows')).toBe(0);
});

test('the statement reads the index of unpublished rows, not the published rows', async () => {
  await asOwner(
    schemas.ownerUrl,
    `insert into flags.outbox (event_id, type, ordering_key, payload, published_at)
     select gen_random_uuid(), 'feature-created', 'a', '{}', now() from generate_series(1, 20000);
     analyze flags.outbox`,
  );
  const scans = sql<{ seq_scan: number; idx_scan: number }>`
    select seq_scan, idx_scan from pg_stat_user_tables where relname = 'outbox' and schemaname = 'flags'`;
  const before = (await scans.execute(db.kysely)).rows[0]!;
  for (let n = 0; n < 3; n++) expect(await sample('yardarm_outbox_rows')).toBe(0);
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(db.kysely);
    return (await scans.execute(db.kysely)).rows[0]!;
  };
  await expect.poll(async () => (await read()).idx_scan - before.idx_scan).toBeGreaterThanOrEqual(6);
  expect((await read()).seq_scan).toBe(before.seq_scan);
});
