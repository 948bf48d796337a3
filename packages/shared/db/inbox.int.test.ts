// Proves that a consumer handles an event once, also when the event arrives twice at the same moment.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Database, firstTime, type SharedTables } from './index.ts';
import { createTestSchemas, type TestSchemas } from './testing/test-schemas.ts';

let schemas: TestSchemas;
let db: Database<SharedTables>;

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
  db = schemas.connect('flags', { maxConnections: 20 });
});
afterAll(() => schemas.drop());

const see = (consumer: string, eventId: string) => db.transaction((trx) => firstTime(trx, consumer, eventId));

test('an event is new to each consumer once', async () => {
  const eventId = randomUUID();
  expect(await see('a', eventId)).toBe(true);
  expect(await see('a', eventId)).toBe(false);
  expect(await see('b', eventId)).toBe(true);
});

test('of twenty concurrent transactions with the same event, one handles it', async () => {
  const eventId = randomUUID();
  const answers = await Promise.all(Array.from({ length: 20 }, () => see('a', eventId)));
  expect(answers.filter((isFirst) => isFirst)).toHaveLength(1);
});

test('an event whose transaction failed is still new', async () => {
  const eventId = randomUUID();
  const failing = db.transaction(async (trx) => {
    await firstTime(trx, 'a', eventId);
    throw new Error('the effect failed');
  });
  await expect(failing).rejects.toThrow('the effect failed');
  expect(await see('a', eventId)).toBe(true);
});
