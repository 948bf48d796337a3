// A list that is larger than a message and than what sockets buffer arrives complete, in order, and as of one moment.
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const features = '/api/admin/projects/default/features';
const names = Array.from({ length: 24 }, (_, n) => `long-${String(n).padStart(2, '0')}`);

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
  for (const name of names.toReversed()) {
    await system.call('POST', features, { body: { name } });
    await system.call('POST', `${features}/${name}/environments/production/strategies`, { body: { name: 'default' } });
  }
  const first = `${features}/${names[0]}`;
  const variants = [{ name: 'red', weight: 1000, weightType: 'fix', payload: { type: 'json', value: '{"a": "ü"}' } }];
  const constraints = [{ values: ['no', 'se'], operator: 'IN', contextName: 'country' }];
  for (const [method, path, body] of [
    ['POST', `/api/admin/features/${names[0]}/tags`, { type: 'simple', value: 'payments' }],
    ['POST', `${first}/link`, { url: 'https://example.com/designs', title: 'A "design"' }],
    ['POST', `${first}/dependencies`, { feature: names[1], variants: ['red'] }],
    ['PUT', `${first}/environments/production/variants`, variants],
    ['POST', `${first}/environments/development/strategies`, { name: 'flexibleRollout', constraints }],
    ['POST', `${first}/environments/development/on`, undefined],
  ] as const) {
    const { status } = await system.call(method, path, { body });
    expect([path, status < 300]).toEqual([path, true]);
  }
  // The list has each strategy twice: 19 MB. A request of this size for each would take a second.
  await system.database.rows(
    `update flags.feature_strategies set parameters = json_build_object('filling', repeat('x', 400000))
     where environment = 'production'`,
  );
});

afterAll(() => system?.stop());

/** The answer to a request for the list, of which nothing is read yet. */
function openList(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${system.url}${features}`, { headers: { authorization: system.adminToken } }, resolve).on('error', reject);
  });
}

async function expectedText(): Promise<string> {
  const flags = [];
  for (const name of names) {
    const { body } = await system.call('GET', `${features}/${name}`);
    // A list has no usage.
    flags.push({
      ...body,
      environments: body.environments.map(({ yes, no, ...each }: Record<string, unknown>) => each),
    });
  }
  return JSON.stringify({ version: 2, features: flags });
}

test('a list has the bytes of all its flags, by name', async () => {
  const list = await system.call('GET', features);
  expect(list.status).toBe(200);
  expect(list.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(list.text === (await expectedText())).toBe(true);
});

test('a slow client gets the state of one moment and occupies no connection to Postgres', async () => {
  const expected = await expectedText();
  const list = await openList();
  await eventually(async () => {
    const open = await system.database.rows(
      `select pid from pg_stat_activity
       where datname = current_database() and usename = 'yardarm_flags' and state <> 'idle' and pid <> pg_backend_pid()`,
    );
    expect(open).toEqual([]);
  });
  const last = `${features}/${names.at(-1)}`;
  expect((await system.call('DELETE', last)).status).toBe(202);
  expect((await text(list)) === expected).toBe(true);
  expect((await system.call('GET', features)).body.features).toHaveLength(names.length - 1);
});

test('after clients that leave in the middle of a list, the next one gets it', async () => {
  for (let n = 0; n < 20; n += 1) (await openList()).destroy();
  expect((await system.call('GET', features)).body.features).toHaveLength(names.length - 1);
});
