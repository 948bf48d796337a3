// Tests health without Postgres, health of replicas, and shutdown.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { loadEventsConfig } from './config.ts';
import { startEvents } from './service.ts';
import { LogUnderTest, someEvents } from './testing/log-under-test.ts';

let database: TestDatabase;
let log: LogUnderTest;

beforeEach(async () => {
  database = await createTestDatabase();
  log = await LogUnderTest.open({
    natsUrl: inject('natsUrl'),
    databaseUrl: database.urlFor('events'),
    prefix: `t${randomBytes(6).toString('hex')}`,
  });
});

afterEach(async () => {
  await log.close();
  await database.drop();
});

test('starts while Postgres is unavailable, reports it, and stops', async () => {
  const nowhere = { ...log.environment, DATABASE_URL: 'postgres://yardarm_events:x@127.0.0.1:1/nowhere' };
  const service = await startEvents(loadEventsConfig(nowhere), log.log);
  expect(await service.health()).toEqual({ database: expect.any(String), bus: null });
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
