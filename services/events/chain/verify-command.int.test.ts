// Tests the command verify-log on heads that the service exported.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

async function verify(...args: string[]): Promise<{ code: number; output: string }> {
  return verifyIn(log.environment, ...args);
}

async function verifyIn(
  environment: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; output: string }> {
  const command = fileURLToPath(new URL('../../../scripts/verify-log.ts', import.meta.url));
  const child = spawn(process.execPath, [command, ...args], { env: environment });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, output };
}

test('an exported head is confirmed until the log is changed', async () => {
  const file = join(folder, 'heads');
  log.environment.EVENTS_HEAD_FILE = file;
  const service = await log.start();
  await log.publish(someEvents(20));
  await service.processAll();
  await log.stop(service);
  // Each leadership exports a head when it begins. The log was empty at the first one.
  await log.start();
  const line = await eventually(async () => (await readFile(file, 'utf8')).trim());
  expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z 20:[\w-]{43}$/);
  const head = line.split(' ')[1]!;

  const intact = await verify('--head', head);
  expect(intact).toEqual({
    code: 0,
    output: `20 event(s) from 1 to 20 are what was recorded; head ${head}\n1 head(s) match the log.\n`,
  });
  expect(await verify('--heads', file)).toEqual(intact);
  const strange = await verify('--head', `20:${'x'.repeat(43)}`);
  expect(strange).toEqual({ code: 1, output: expect.stringContaining('Event 20 is not what was exported.') });
  await database.rows(`update events.events set created_by = 'eve' where id = 7`);
  expect(await verify()).toEqual({ code: 1, output: expect.stringContaining('Event 7 is the first') });
});

test.each([
  [['--from', '0']],
  [['--from', '2', '--to', '1']],
  [['--head', '20']],
  [['--form', '1']],
  [['--heads', '/no/such/file']],
])('wrong arguments (%j) are refused', async (args) => {
  expect(await verify(...args)).toEqual({ code: 2, output: expect.stringContaining('Usage: npm run verify-log') });
});

async function record(count: number): Promise<string[]> {
  const service = await log.start();
  await log.publish(someEvents(count));
  await service.processAll();
  await log.stop(service);
  const rows = await log.db.kysely.selectFrom('events').select(['id', 'hash']).orderBy('id').execute();
  return rows.map(({ id, hash }) => `${id}:${hash}`);
}

test('heads of dropped events are counted, and a file of heads shows whether retention dropped them', async () => {
  const heads = await record(20);
  const [early, last, late] = [heads[4], heads[9], heads[14]];
  await database.rows(`
    insert into events.chain_anchors (after_id, hash, reason)
      select id, hash, 'retention' from events.events where id = 10;
    delete from events.events where id <= 10`);

  expect(await verify('--head', early!, '--head', late!)).toEqual({
    code: 3,
    output: expect.stringMatching(
      /^The log begins with event 11: .*\n10 event\(s\) from 11 to 20 .*\n1 head.* match the log\.\n1 head.* cannot be compared: the events up to 10 were dropped\.\nOnly the file/,
    ),
  });
  const file = join(folder, 'heads');
  await writeFile(file, `t ${early}\nt ${late}\n`);
  expect(await verify('--heads', file)).toEqual({ code: 1, output: expect.stringContaining('records no retention') });
  await writeFile(file, `t ${early}\nt dropped ${last}\nt ${late}\n`);
  expect(await verify('--heads', file)).toEqual({
    code: 0,
    output: expect.stringMatching(
      /\n1 head\(s\) cannot be compared: the events up to 10 were dropped\.\nThe file of heads records that retention /,
    ),
  });
});

test('a forged retention is reported', async () => {
  await record(20);
  await database.rows(
    `insert into events.chain_anchors (after_id, hash, reason) select id, hash, 'retention' from events.events where id = 19`,
  );
  expect(await verify()).toEqual({ code: 1, output: expect.stringMatching(/^Event 1 is the first .* forged\.\n$/) });
});

test('a range without events is refused, and an empty log is not', async () => {
  expect(await verify()).toEqual({ code: 0, output: 'There is no event in the log: the log ends with 0.\n' });
  await record(3);
  for (const from of ['4', '99999999'])
    expect(await verify('--from', from)).toEqual({
      code: 2,
      output: 'There is no event in that range: the log ends with 3.\n',
    });
});

test('without DATABASE_URL the command uses the login that npm start wrote to its data folder', async () => {
  const [head] = await record(1);
  const environment = { YARDARM_DATA_DIR: folder };
  expect(await verifyIn(environment)).toEqual({ code: 2, output: expect.stringContaining('npm start has to run') });
  await writeFile(join(folder, 'database-logins.json'), JSON.stringify({ events: database.urlFor('events') }));
  expect(await verifyIn(environment, '--head', head!)).toMatchObject({ code: 0 });
});
