// Proves the way that an operator goes: heads that the service exported, held against the log by the command.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { LogUnderTest, someEvents } from '../testing/log-under-test.ts';

let database: TestDatabase;
let log: LogUnderTest;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heads-'));
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
  await rm(folder, { recursive: true });
});

async function verify(...words: string[]): Promise<{ code: number; said: string }> {
  const command = fileURLToPath(new URL('../../../scripts/verify-log.ts', import.meta.url));
  const child = spawn(process.execPath, [command, ...words], { env: { ...log.environment } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, said };
}

test('a head that the service exported is borne out by the log, until the log is changed', async () => {
  const file = join(folder, 'heads');
  log.environment.EVENTS_HEAD_FILE = file;
  const service = await log.start();
  await log.publish(someEvents(20));
  await service.processAll();
  await log.stop(service);
  // Each term of a recorder begins with a head; the log was empty at the first one.
  await log.start();
  const line = await eventually(async () => (await readFile(file, 'utf8')).trim());
  expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z 20:[\w-]{43}$/);
  const head = line.split(' ')[1]!;

  const intact = await verify('--head', head);
  expect(intact).toEqual({ code: 0, said: `20 event(s) up to 20 are what was recorded; head ${head}\n` });
  const strange = await verify('--head', `20:${'x'.repeat(43)}`);
  expect(strange).toEqual({ code: 1, said: expect.stringContaining('Event 20 is not what was exported.') });
  await database.rows(`update events.events set created_by = 'eve' where id = 7`);
  expect(await verify()).toEqual({ code: 1, said: expect.stringContaining('Event 7 is the first') });
});

test.each([[['--from', '0']], [['--head', '20']], [['--form', '1']]])('wrong words (%j) are told', async (words) => {
  expect(await verify(...words)).toEqual({ code: 2, said: expect.stringContaining('Usage: npm run verify-log') });
});
