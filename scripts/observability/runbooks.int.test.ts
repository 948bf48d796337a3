// The statements of the runbooks run in the database that the migrations make, in the order of the text.
import { readFileSync } from 'node:fs';
import { serviceNames } from '@yardarm/shared/contracts';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterAll, beforeAll, test } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const databaseOwners = serviceNames.filter((service) => service !== 'gateway');
const runbooks = [
  ...serviceNames.map((service) => ({ file: `services/${service}/README.md`, schemas: [service] })),
  // Those that every service can have.
  { file: 'docs/observability.md', schemas: databaseOwners },
];

const statements = runbooks.flatMap(({ file, schemas }) => {
  const runbook = read(file).split('\n## Runbook\n')[1]!.split('\n## ')[0]!;
  const texts = [...runbook.matchAll(/`((?:select|update|delete|create|insert|drop|alter)\s[^`]+)`/g)];
  return texts.flatMap(([, text]) => schemas.map((schema) => ({ file, schema, text: text!.replaceAll(/\s+/g, ' ') })));
});

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // The runbook of events makes it, and the index that goes with it.
  await database.rows('drop extension if exists pg_trgm cascade');
});
afterAll(() => database.drop());

test.each(statements)('$file: $text, in the schema $schema', async ({ schema, text }) => {
  // One query, so that both are of one connection. It throws what Postgres refuses.
  await database.rows(`set search_path to ${schema}; ${text}`);
});
