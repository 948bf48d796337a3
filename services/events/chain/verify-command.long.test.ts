// Tests the command verify-log on heads that the service exported.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCache, createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { headFailures } from '../metrics.ts';
import { LogUnderTest, someEvents } from '../testing/log-under-test.ts';

let database: TestDatabase;
let log: LogUnderTest;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heads-'));
  database = await createTestDatabase();
  log = await LogUnderTest.open(database);
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
  const child = spawn(process.execPath, [command, ...args], { env: { ...compileCache, ...environment } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, output };
}

/**
 * Records events, with or without a folder of heads, and returns `<id>:<hash>` of each event of the log. A leadership
 * exports the head when it begins, unless the log is empty, and when it ends. An empty log gets its events before the
 * start, so that they are one batch with one head. Any other log gets them after the first head was exported.
 */
async function record(count: number, heads?: string): Promise<string[]> {
  if (heads !== undefined) log.environment.EVENTS_HEADS_DIR = heads;
  const isEmpty = (await recorded()).length === 0;
  const lines = isEmpty || heads === undefined ? [] : await linesIn(heads).catch(() => []);
  if (isEmpty) await log.publish(someEvents(count));
  const service = await log.start();
  if (!isEmpty) {
    if (heads !== undefined) await eventually(async () => expect(await linesIn(heads)).toHaveLength(lines.length + 1));
    await log.publish(someEvents(count));
  }
  await service.processAll();
  await log.stop(service);
  delete log.environment.EVENTS_HEADS_DIR;
  return recorded();
}

async function recorded(): Promise<string[]> {
  const rows = await log.db.kysely.selectFrom('events').select(['id', 'hash']).orderBy('id').execute();
  return rows.map(({ id, hash }) => `${id}:${hash}`);
}

const linesIn = async (path: string): Promise<string[]> => {
  const [file] = await readdir(path);
  return (await readFile(join(path, file!), 'utf8')).trim().split('\n');
};

test('heads are written to the folder, and confirmed until the log is changed', async () => {
  const heads = join(folder, 'heads');
  const hashes = await record(20, heads);
  await record(5, heads);
  const lines = await linesIn(heads);
  const last = expect.stringMatching(/^25:v2\.[\w-]{43}$/);
  expect(lines.map((line) => line.split(' ')[1])).toEqual([hashes[19], hashes[19], last]);
  const newest = lines[2]!.split(' ')[1]!;

  const intact = {
    code: 0,
    output:
      `25 event(s) from 1 to 25 are what was recorded; head ${newest}\n` +
      '3 head(s) match the log, the newest is that of event 25.\n',
  };
  expect(await verify('--heads', heads)).toEqual(intact);
  expect(await verifyIn({ ...log.environment, EVENTS_HEADS_DIR: heads })).toEqual(intact);
  expect(await verify('--head', newest)).toMatchObject({
    code: 0,
    output: expect.stringContaining('\n1 head(s) match'),
  });
  const strange = await verify('--head', `20:${'x'.repeat(43)}`);
  expect(strange).toEqual({ code: 1, output: expect.stringContaining('Event 20 is not what was exported.') });
  await database.rows(`update events.events set created_by = 'eve' where id = 7`);
  expect(await verify()).toEqual({ code: 1, output: expect.stringContaining('Event 7 is the first') });
});

test('a head is written after a thousand events, without a wait for the minute', async () => {
  const heads = join(folder, 'heads');
  log.environment.EVENTS_HEADS_DIR = heads;
  const service = await log.start();
  // The first head, at the start, may already be one of these events.
  await log.publish(someEvents(2_000));
  await service.processAll();
  await eventually(async () => {
    const [, id] = / (\d+):v2\./.exec((await linesIn(heads)).at(-1)!)!;
    expect(Number(id)).toBeGreaterThanOrEqual(1_000);
  });
});

test('a folder that cannot be written does not stop the recording; it is counted, and the next start writes', async () => {
  const heads = join(folder, 'heads');
  await writeFile(heads, 'a file');
  const before = (await headFailures.get()).values[0]!.value;
  const hashes = await record(3, heads);
  expect(hashes).toHaveLength(3);
  expect((await headFailures.get()).values[0]!.value).toBeGreaterThan(before);
  await rm(heads);
  await record(1, heads);
  expect((await linesIn(heads)).map((line) => line.split(' ')[1]!.split(':')[0])).toEqual(['3', '4']);
});

/**
 * Rewrites an event as a superuser and computes every hash of version 2 from there on in SQL, as the recorder does for
 * events whose data has keys in order.
 */
const rewriteInSql = `
  create function pg_temp.json(value anyelement) returns text language sql as
    $$ select coalesce(to_json(value)::text, 'null') $$;
  create function pg_temp.stamp(moment timestamptz) returns text language sql as
    $$ select concat('"', to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"') $$;
  do $$
  declare
    each events.events;
    previous text;
  begin
    set search_path = pg_temp, events;
    update events.events set created_by = 'eve', created_by_username = 'eve', search_text = 'feature-created' || chr(31) || 'eve'
      where id = 20;
    select hash into previous from events.events where id = 19;
    for each in select * from events.events where id >= 20 order by id loop
      previous := 'v2.' || rtrim(translate(encode(sha256(convert_to(previous || chr(10) || concat(
        '{"createdAt":', pg_temp.stamp(each.created_at), ',"createdBy":', pg_temp.json(each.created_by),
        ',"createdByUserId":', pg_temp.json(each.created_by_user_id),
        ',"createdByUsername":', pg_temp.json(each.created_by_username),
        ',"data":', coalesce(each.data::text, 'null'), ',"environment":', pg_temp.json(each.environment),
        ',"eventId":', pg_temp.json(each.event_id), ',"featureName":', pg_temp.json(each.feature_name),
        ',"id":', each.id, ',"preData":', coalesce(each.pre_data::text, 'null'), ',"project":', pg_temp.json(each.project),
        ',"recordedAt":', pg_temp.stamp(each.recorded_at), ',"requestId":', pg_temp.json(each.request_id),
        ',"source":', pg_temp.json(each.source), ',"tags":', each.tags::text,
        ',"traceparent":', pg_temp.json(each.traceparent), ',"type":', pg_temp.json(each.type),
        ',"version":', each.version, '}'), 'utf8')), 'base64'), '+/', '-_'), '=');
      update events.events set hash = previous where id = each.id;
    end loop;
    update events.recorder_position set chain_hash = previous;
  end $$`;

test('a superuser who rewrites an event and the whole chain in SQL is found by the files of heads alone', async () => {
  const heads = join(folder, 'heads');
  for (const count of [10, 20, 10]) await record(count, heads);
  await database.rows(rewriteInSql);
  // Without heads the log is consistent, and the command says what it did not compare.
  expect(await verify()).toEqual({
    code: 0,
    output: expect.stringMatching(/^40 event.* are what was recorded; .*\nNo heads were compared .*: a rewrite .*\n$/),
  });
  expect(await verify('--heads', heads)).toEqual({
    code: 1,
    output: expect.stringMatching(
      /\nEvent 30 is not what was exported\. .* the first one that was rewritten is an event from 11 to 30\.\n$/,
    ),
  });
  // A superuser who also deletes the files leaves a folder without heads.
  await rm(heads, { recursive: true });
  expect(await verifyIn({ ...log.environment, EVENTS_HEADS_DIR: heads })).toEqual({
    code: 3,
    output: expect.stringContaining(`There are no heads in ${heads}: `),
  });
});

test('a superuser who deletes the last events and moves the position is found by the files of heads', async () => {
  const heads = join(folder, 'heads');
  const hashes = await record(40, heads);
  await database.rows('delete from events.events where id > 30');
  await database.rows('update events.recorder_position set last_id = 30, chain_id = 30, chain_hash = $1', [
    hashes[29]!.slice('30:'.length),
  ]);
  expect(await verify()).toMatchObject({ code: 0 });
  expect(await verify('--heads', heads)).toEqual({
    code: 1,
    output: expect.stringContaining('Event 31 is not what was exported. It is missing: a head with the id 40'),
  });
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
      /^The log begins with event 11: .*\n10 event\(s\) from 11 to 20 .*\n1 head.* match the log, the newest is that of event 15\.\n1 head.* cannot be compared: the events up to 10 were dropped\.\nOnly a file/,
    ),
  });
  const file = join(folder, 'heads');
  await writeFile(file, `t ${early}\nt ${late}\n`);
  expect(await verify('--heads', file)).toEqual({ code: 1, output: expect.stringContaining('record no retention') });
  await writeFile(file, `t ${early}\nt dropped ${last}\nt ${late}\n`);
  expect(await verify('--heads', file)).toEqual({
    code: 0,
    output: expect.stringMatching(
      /\n1 head\(s\) cannot be compared: the events up to 10 were dropped\.\nA file of heads records that retention /,
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
  expect(await verify()).toEqual({
    code: 0,
    output: expect.stringMatching(/^There is no event in the log: the log ends with 0\.\n/),
  });
  await record(3);
  for (const from of ['4', '99999999'])
    expect(await verify('--from', from)).toEqual({
      code: 2,
      output: 'There is no event in that range: the log ends with 3.\n',
    });
});

test('without DATABASE_URL the command uses the login and the heads that npm start wrote to its data folder', async () => {
  await record(1, join(folder, 'heads'));
  const environment = { YARDARM_DATA_DIR: folder };
  expect(await verifyIn(environment)).toEqual({ code: 2, output: expect.stringContaining('npm start has to run') });
  await writeFile(join(folder, 'database-logins.json'), JSON.stringify({ events: database.urlFor('events') }));
  expect(await verifyIn(environment)).toEqual({
    code: 0,
    output: expect.stringContaining('\n1 head(s) match the log'),
  });
});
