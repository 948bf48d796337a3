// Tests a start without Postgres, health of replicas, and shutdown.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadEventsConfig } from './config.ts';
import { startEvents } from './service.ts';
import { LogUnderTest, someEvents } from './testing/log-under-test.ts';

let database: TestDatabase;
let log: LogUnderTest;

beforeEach(async () => {
  database = await createTestDatabase();
  log = await LogUnderTest.open(database);
});

afterEach(async () => {
  await log.close();
  await database.drop();
});

test('waits while Postgres is unavailable, reports it, starts when it answers, and stops', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-events-'));
  const file = path.join(folder, 'database-url');
  writeFileSync(file, 'postgres://yardarm_events:x@127.0.0.1:1/nowhere');
  const { DATABASE_URL: url, ...environment } = log.environment;
  const waits: unknown[] = [];
  const config = loadEventsConfig({ ...environment, DATABASE_URL_FILE: file });
  const starting = startEvents(config, log.log, { onWaiting: (parts) => void waits.push(parts) });
  await eventually(() => expect(waits.at(-1)).toEqual({ database: 'Postgres does not answer' }));
  writeFileSync(file, url!);
  const service = await starting;
  rmSync(folder, { recursive: true });
  expect(await service.health()).toEqual({ database: null, bus: null });
  await service.drain();
  await service.stop();
});

test('every replica is ready, whether it holds the lease or not', async () => {
  const replicas = await Promise.all([log.start(), log.start()]);
  for (const replica of replicas) expect(await replica.health()).toEqual({ database: null, bus: null });
});

test('a process that receives SIGTERM finishes its work and releases the lease at once', async () => {
  const child = log.startProcess('main.ts');
  await log.publish(someEvents(50));
  await eventually(async () => expect((await log.entries()).length).toBeGreaterThan(0));
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  const lease = await log.db.kysely.selectFrom('lease').select('holder').executeTakeFirstOrThrow();
  expect(lease.holder).toBe(null);
});
