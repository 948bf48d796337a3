// Proves that one replica at a time runs a job, at its interval, and that a failed run is reported once and repeated.
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createLogger } from '../log/index.ts';
import { WakeUp } from '../waiting/index.ts';
import { type Database, type SharedTables, startPeriodicJob } from './index.ts';
import { createTestSchemas, silent, type TestSchemas } from './testing/test-schemas.ts';

const dayMs = 86_400_000;
let schemas: TestSchemas;
let db: Database<SharedTables>;

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
  db = schemas.connect('flags');
});
afterAll(() => schemas.drop());

test('a job runs at once, and again when it is woken', async () => {
  const wakeUp = new WakeUp();
  let runs = 0;
  const job = startPeriodicJob({ db, log: silent, name: 'woken', everyMs: dayMs, wakeUp }, async () => {
    runs += 1;
  });
  await eventually(() => expect(runs).toBe(1));
  wakeUp.wake();
  await eventually(() => expect(runs).toBe(2));
  await job.stop();
  wakeUp.wake();
  expect(runs).toBe(2);
});

test('a job whose runs fail is reported once, and goes on', async () => {
  const warnings: string[] = [];
  const destination = { write: (line: string) => void warnings.push(JSON.parse(line).msg) };
  const log = createLogger({ service: 'test', level: 'warn', destination });
  let runs = 0;
  const job = startPeriodicJob({ db, log, name: 'failing', everyMs: 1 }, async () => {
    runs += 1;
    if (runs <= 5) throw new Error('failed, says the test');
  });
  await eventually(() => expect(runs).toBeGreaterThan(7));
  await job.stop();
  expect(warnings).toEqual(['the leader failed and will retry']);
});

test('of two replicas one runs the job, and the other goes on when it stops', async () => {
  const runs = [0, 0];
  const jobs = runs.map((_, replica) =>
    startPeriodicJob({ db, log: silent, name: 'shared', everyMs: 1 }, async ({ requireCurrent }) => {
      await db.transaction((trx) => requireCurrent(trx));
      runs[replica]! += 1;
    }),
  );
  await eventually(() => expect(Math.max(...runs)).toBeGreaterThan(3));
  const first = runs[0]! > 0 ? 0 : 1;
  expect(runs[1 - first]).toBe(0);
  await jobs[first]!.stop();
  await eventually(() => expect(runs[1 - first]).toBeGreaterThan(3));
  await jobs[1 - first]!.stop();
});
