// Tests the heads that are written to the folder when recording begins and ends.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventsTables } from '../db/schema.ts';
import { createHeadComparison } from './compare-heads.ts';
import { createHeadExporter } from './export-heads.ts';
import { readHeadsIn } from './heads-file.ts';

const log = createLogger({ service: 'test', level: 'fatal' });
let database: TestDatabase;
let db: Database<EventsTables>;
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase();
  db = createDatabase<EventsTables>({ url: database.urlFor('events'), schema: 'events', log });
  folder = await mkdtemp(join(tmpdir(), 'heads-'));
});

afterEach(async () => {
  await db.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

test('events that are recorded while the first head is read have their head written at the end', async () => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const comparison = createHeadComparison({ db, log });
  const exporter = createHeadExporter({ db, log, signal, logEveryMinutes: 0, folder, comparison });
  const ended = exporter.run();
  exporter.offer({ id: 20, hash: `v2.${'a'.repeat(43)}` });
  stopping.abort();
  await ended;
  const { heads } = await readHeadsIn(folder);
  expect(heads.map(({ id }) => id)).toEqual([20]);
});
