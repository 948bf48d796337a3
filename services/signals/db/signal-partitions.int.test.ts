// Tests the migration to partitions: existing signals stay, and the previous version works on during and after it.
import { randomBytes } from 'node:crypto';
import { type Migration, migrateAll } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { migrations } from './migrations/index.ts';

const name = `t_${randomBytes(6).toString('hex')}`;
const log = createLogger({ service: 'test', level: 'silent' });
const clients: pg.Client[] = [];

function urlOf(database: string, user?: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  if (user !== undefined) {
    url.username = user;
    url.password = 'test';
  }
  return url.href;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=signals' });
  await client.connect();
  clients.push(client);
  return client;
}

const migrateWith = (chosen: Record<string, Migration>) =>
  migrateAll({
    ownerUrl: urlOf(name),
    services: [{ set: { service: 'signals', migrations: chosen }, loginUrl: urlOf(name, 'yardarm_signals') }],
    log,
  });

// The statements of the version before partitions.
const insert = {
  name: 'insert',
  text: `
    insert into signals (id, endpoint_id, token_id, payload, created_at)
    select * from unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[], $5::timestamptz[])
    on conflict on constraint signals_pkey do nothing`,
};
const list = {
  name: 'list',
  text: `
    select signals.id, signals.token_id, signals.payload, signals.created_at, signal_endpoint_tokens.name
    from signals left join signal_endpoint_tokens on signal_endpoint_tokens.id = signals.token_id
    where signals.endpoint_id = $1::bigint and ($2::bigint is null or signals.id < $2::bigint)
    order by signals.id desc limit $3 offset $4`,
};
const valuesOf = (id: number, payload = `{"n":${id}}`) => [[id], [1], [1], [payload], ['2026-01-31T12:00:00Z']];

beforeAll(async () => {
  const server = await connect(urlOf('postgres'));
  await server.query(`create database ${name}`);
  const before = Object.entries(migrations.migrations).filter(([key]) => key < '0004');
  await migrateWith(Object.fromEntries(before));
});

afterAll(async () => {
  for (const client of clients.slice(1)) await client.end();
  await clients[0]?.query(`drop database ${name} with (force)`);
  await clients[0]?.end();
});

it('signals are kept with every column, and the previous version stores and lists during and after the migration', async () => {
  const [storing, listing, owner] = [
    await connect(urlOf(name, 'yardarm_signals')),
    await connect(urlOf(name, 'yardarm_signals')),
    await connect(urlOf(name)),
  ];
  const kept = [1, 999_999, 1_000_000, 2_500_000, 77_000_000];
  for (const id of kept) await storing.query({ ...insert, values: valuesOf(id) });
  await storing.query({ ...insert, values: valuesOf(2, '"\\u0000"') });
  await storing.query({ ...insert, values: valuesOf(3, 'null') });
  await owner.query(`update signals set stored_at = '2026-01-31T13:00:00Z' where id = 1`);
  await owner.query(`select setval('signal_ids', 2500000)`);

  let isMigrated = false;
  let id = 2_500_000;
  const store = async () => {
    // Some more after the end, so that the last ones surely meet the new table.
    for (let after = 0; after < 50; after += isMigrated ? 1 : 0) {
      id += 1;
      await storing.query({ ...insert, values: valuesOf(id) });
    }
  };
  const read = async () => {
    while (!isMigrated) await listing.query({ ...list, values: [1, null, 25, 0] });
  };
  const work = Promise.all([store(), read()]);
  await migrateWith(migrations.migrations);
  isMigrated = true;
  await work;

  const { rows } = await owner.query('select id, payload_json from signals order by id');
  const added = Array.from({ length: id - 2_500_000 }, (_, index) => 2_500_001 + index);
  const expected = [1, 2, 3, 999_999, 1_000_000, 2_500_000, ...added, 77_000_000];
  expect(rows).toEqual(expected.map((n) => ({ id: String(n), payload_json: n < 4 && n > 1 ? null : { n } })));
  const { rows: first } = await owner.query(
    `select *, tableoid::regclass::text as partition from signals where id < 3`,
  );
  expect(first).toMatchObject([
    { payload: '{"n":1}', stored_at: new Date('2026-01-31T13:00:00Z'), stream_sequence: null, partition: 'signals_p0' },
    { payload: '"\\u0000"', created_at: new Date('2026-01-31T12:00:00Z'), partition: 'signals_p0' },
  ]);
  const { rows: listed } = await listing.query({ ...list, values: [1, 77_000_000, 1, 0] });
  expect(listed).toMatchObject([{ id: String(id) }]);
  // Redelivered after the upgrade.
  expect((await storing.query({ ...insert, values: valuesOf(1, '"again"') })).rowCount).toBe(0);
});

it('the previous version cannot store a signal whose payload it does not know, so that this version stores it', async () => {
  const [previous, current] = [await connect(urlOf(name, 'yardarm_signals')), await connect(urlOf(name))];
  const refused = previous.query({ ...insert, values: valuesOf(4, 'null') });
  await expect(refused).rejects.toThrow('the payload of signal 4 is stored by a newer version');
  await previous.query({ ...insert, values: valuesOf(5, '{}') });
  await current.query(`
    insert into signals (id, endpoint_id, token_id, payload, created_at, stream_sequence)
    values (4, 1, 1, 'null', now(), 7)`);
  const { rows } = await current.query('select id, payload from signals where id in (4, 5) order by id');
  expect(rows).toEqual([
    { id: '4', payload: 'null' },
    { id: '5', payload: '{}' },
  ]);
});
