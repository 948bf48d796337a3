// Proves that the recorder notices when an event that it recorded is rewritten in the database.
import { createDatabase } from '@yardarm/shared/db';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventsTables } from '../db/schema.ts';
import { changedHeads } from '../metrics.ts';
import { LogUnderTest, someEvents } from '../testing/log-under-test.ts';
import { findHashes } from './chain.repo.ts';
import { createHeadComparison } from './compare-heads.ts';
import { createHeadExporter } from './export-heads.ts';

let database: TestDatabase;
let log: LogUnderTest;

beforeEach(async () => {
  changedHeads.set(0);
  database = await createTestDatabase();
  log = await LogUnderTest.open(database);
  const service = await log.start();
  await log.publish(someEvents(20));
  await service.processAll();
  await log.stop(service);
});

afterEach(async () => {
  changedHeads.set(0);
  await log.close();
  await database.drop();
});

const isChanged = async () => (await changedHeads.get()).values[0]?.value;

/** Changes the hash of an event as the owner of the table. */
const rewrite = (id: number) =>
  database.rows('update events.events set hash = $1 where id = $2', [`v2.${'a'.repeat(43)}`, id]);

test('a rewritten head is noticed, and other events are not compared', async () => {
  const comparison = createHeadComparison({ db: log.db, log: log.log });
  for (const [id, hash] of await findHashes(log.db.kysely, [5, 20])) comparison.remember({ id, hash: hash! });
  await comparison.compare();
  await rewrite(6);
  await comparison.compare();
  expect(await isChanged()).toBe(0);
  await rewrite(5);
  await comparison.compareWhenDue();
  expect(await isChanged()).toBe(0);
  await comparison.compare();
  expect(await isChanged()).toBe(1);
});

test('the exporter remembers each head once, also without a folder', async () => {
  const comparison = createHeadComparison({ db: log.db, log: log.log });
  const stopping = new AbortController();
  const { signal } = stopping;
  const exporter = createHeadExporter({
    db: log.db,
    log: log.log,
    signal,
    logEveryMinutes: 0,
    folder: undefined,
    comparison,
  });
  stopping.abort();
  const [[id, hash] = [0, '']] = await findHashes(log.db.kysely, [20]);
  exporter.offer({ id, hash: hash! });
  await exporter.run();
  await rewrite(20);
  await comparison.compare();
  expect(await isChanged()).toBe(1);
});

test('the exporter remembers one head of a minute, whatever is recorded in it', async () => {
  const comparison = createHeadComparison({ db: log.db, log: log.log });
  const stopping = new AbortController();
  const { signal } = stopping;
  const options = { db: log.db, log: log.log, signal, logEveryMinutes: 60, folder: undefined, comparison };
  const exporter = createHeadExporter(options);
  const [[id, hash] = [0, '']] = await findHashes(log.db.kysely, [20]);
  exporter.offer({ id, hash: hash! });
  const ended = exporter.run();
  // It contradicts the log, which ends with 20.
  exporter.offer({ id: 5_000, hash: `v2.${'c'.repeat(43)}` });
  stopping.abort();
  await ended;
  await comparison.compare();
  expect(await isChanged()).toBe(0);
});

test('while the database is away nothing is said about the log', async () => {
  const db = createDatabase<EventsTables>({ url: database.urlFor('events'), schema: 'events', log: log.log });
  const comparison = createHeadComparison({ db, log: log.log });
  comparison.remember({ id: 1, hash: `v2.${'b'.repeat(43)}` });
  // Its pool is opened by the first statement, and stays closed only then.
  await db.ping();
  await db.close();
  await comparison.compare();
  expect(await isChanged()).toBe(0);
});
