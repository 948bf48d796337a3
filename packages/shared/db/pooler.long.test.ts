// PgBouncer in transaction mode is refused with a sentence, as its defaults are and as an operator makes it accept a
// connection with settings.
import { hasPooler, type Pooler, startPooler } from '@yardarm/testing/pooler';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { ConfigError } from '../config/index.ts';
import { createDatabase, findSystemId } from './index.ts';
import { createTestSchemas, silent, type TestSchemas } from './testing/test-schemas.ts';

let schemas: TestSchemas;
let pooler: Pooler | undefined;

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
});
afterEach(() => pooler?.stop());
afterAll(() => schemas.drop());

test.skipIf(!hasPooler).each([
  ['with its defaults', ''],
  [
    'that ignores the settings of connections',
    'ignore_startup_parameters = options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
  ],
])('PgBouncer in transaction mode %s is refused at the start', async (_which, more) => {
  pooler = await startPooler(schemas.urlFor('flags'), more);
  const db = createDatabase({ url: pooler.url, schema: 'flags', log: silent });
  const error: unknown = await findSystemId(db.kysely).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as Error).message).toMatch(/^DATABASE_URL leads to a connection pooler such as PgBouncer/);
  await db.close();
});
