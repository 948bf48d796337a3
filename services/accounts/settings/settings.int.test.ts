// Proves the settings that an API can change, over a real bus and Postgres.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { getSettings, settingsChangedHint } from '@yardarm/shared/contracts/settings';
import { eventually } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, expect, it, test } from 'vitest';
import { type AccountsRig, race, refusal, startAccountsRig } from '../testing/accounts-rig.ts';

const editor: Actor = { kind: 'user', id: 7, username: 'editor', grants: [{ permissions: ['UPDATE_PROJECT'] }] };
let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});
afterEach(async () => {
  await rig.ask(contracts.setMaintenanceMode, { enabled: false });
  await rig.ask(contracts.setCorsOrigins, { frontendApiOrigins: ['*'] });
});
afterAll(() => rig?.stop());

const current = () => rig.ask(getSettings, {}, null);
const setOrigins = (...frontendApiOrigins: string[]) => rig.ask(contracts.setCorsOrigins, { frontendApiOrigins });
const types = ['setting-created', 'setting-updated', 'setting-deleted'];
const eventsFrom = async (count: number) =>
  (await rig.events(...types)).slice(count).map(({ type, data, preData }) => [type, data, preData]);
const countOfEvents = async () => (await rig.events(...types)).length;

it('is created, updated and deleted with an event for each, and nothing happens without a change', async () => {
  const count = await countOfEvents();
  const [a, b] = [['https://a.example'], ['https://a.example', 'http://localhost:3000']];
  for (const origins of [a, a, b]) await setOrigins(...origins);
  expect(await current()).toEqual({ frontendApiOrigins: b, maintenanceMode: false });
  await setOrigins('*');
  expect(await current()).toEqual({ frontendApiOrigins: null, maintenanceMode: false });
  const [before, after] = [a, b].map((frontendApiOrigins) => ({ id: 'cors', content: { frontendApiOrigins } }));
  expect(await eventsFrom(count)).toEqual([
    ['setting-created', before, null],
    ['setting-updated', after, before],
    ['setting-deleted', null, after],
  ]);
});

it('has all writes of racing administrators in its events and its revision, and the last one wins', async () => {
  const count = await countOfEvents();
  const revision = async () =>
    (await rig.rows<{ revision: string }>(`select revision from accounts.settings where name = 'cors'`))[0]!.revision;
  const revisionBefore = Number(await revision());
  expect(await race((racer) => setOrigins(`https://racer-${racer}.example`))).toEqual({ won: 20, codes: [] });
  const events = await eventsFrom(count);
  expect(new Set(events.map(([, data]) => JSON.stringify(data))).size).toBe(20);
  // Each event continues the one before it.
  expect(events.slice(1).map(([, , before]) => before)).toEqual(events.slice(0, -1).map(([, after]) => after));
  expect(events.at(-1)![1]).toMatchObject({ content: { frontendApiOrigins: (await current()).frontendApiOrigins } });
  expect(Number(await revision()) - revisionBefore).toBe(20);
});

test.each([
  ['a path', 'https://a.example/app'],
  ['a slash at the end', 'https://a.example/'],
  ['a wildcard in a name', 'https://*.example'],
  ['no scheme', 'a.example'],
  ['another scheme', 'ftp://a.example'],
  ['upper case', 'https://A.example'],
  ['the default port', 'https://a.example:443'],
  ['a user', 'https://u@a.example'],
  ['too many characters', `https://${'a'.repeat(300)}.example`],
])('an origin with %s is refused by its value', async (_what, origin) => {
  expect(await refusal(setOrigins(origin))).toMatchObject({
    code: 'validation',
    message: expect.stringMatching(/frontendApiOrigins.*should/),
  });
});

test('a list with a wildcard and origins, or with too many of them, is refused', async () => {
  expect(await refusal(setOrigins('*', 'https://a.example'))).toMatchObject({ code: 'validation' });
  const many = Array.from({ length: 101 }, (_, number) => `https://a${number}.example`);
  expect(await refusal(setOrigins(...many))).toMatchObject({ code: 'validation' });
});

test('a list without origins is stored: no page of another origin may read', async () => {
  await setOrigins();
  expect(await current()).toMatchObject({ frontendApiOrigins: [] });
});

test('only those with the permission change a setting', async () => {
  const requests = [
    rig.ask(contracts.setMaintenanceMode, { enabled: true }, editor),
    rig.ask(contracts.setCorsOrigins, { frontendApiOrigins: [] }, editor),
  ];
  for (const request of requests) expect(await refusal(request)).toMatchObject({ code: 'no-access' });
  expect(await current()).toEqual({ frontendApiOrigins: null, maintenanceMode: false });
});

test('a change is hinted, and maintenance mode refuses writes until it ends', async () => {
  const hints: object[] = [];
  rig.bus.onHint(settingsChangedHint, (payload) => void hints.push(payload));
  await rig.bus.flush();
  const create = () => rig.ask(contracts.createGroup, { name: `Crew ${Math.random()}` });
  await rig.ask(contracts.setMaintenanceMode, { enabled: true });
  await eventually(async () => expect(await refusal(create())).toMatchObject({ code: 'maintenance' }));
  await rig.ask(contracts.listGroups, {});
  await rig.ask(contracts.setMaintenanceMode, { enabled: false });
  await eventually(create);
  expect(hints).toHaveLength(2);
});
