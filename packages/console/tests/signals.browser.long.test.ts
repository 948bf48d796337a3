// Signals in the console: what is refused, deleted and changed meanwhile.
import { addPerson, addServiceAccount, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { addEndpoint, sendSignal } from '../testing/signals.ts';

const tested = setUpConsole({ UNLEASH_SIGNAL_ENDPOINTS_LIMIT: '20' });
const actions = '/api/admin/projects/default/actions';
let admin: TestPerson;
let actorId: number;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
  actorId = (await addServiceAccount(tested.system, rootRoles.editor)).id;
  await administer(tested.system, 'POST', '/api/admin/projects/default/features', { name: 'checkout' });
});

const setFor = (sourceId: number, name: string) => ({
  ...{ name, actorId },
  match: { source: 'signal-endpoint', sourceId, payload: { 'labels.x': { operator: 'IN', values: ['a'] } } },
  actions: [
    {
      ...{ action: 'TOGGLE_FEATURE_OFF', sortOrder: 1 },
      executionParams: { project: 'default', environment: 'development', featureName: 'checkout' },
    },
  ],
});

/** What the browser keeps beside the page. */
const stored = (page: Page) =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])');

test('a token is shown once, is stored nowhere in the browser, and is refused once it is deleted', async () => {
  const { system } = tested;
  const { endpoint } = await addEndpoint(system, 'once');
  const page = await tested.open(`/signals/endpoints/${endpoint.id}`, { as: admin });
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name').fill('sender');
  tested.allow(/^409 POST .*\/tokens$/);
  await page.getByRole('button', { name: 'Make token' }).click();
  await page.locator('input[aria-invalid="true"]').waitFor();
  await page.getByLabel('Name').fill('second');
  await page.getByRole('button', { name: 'Make token' }).click();
  const token = (await page.getByRole('region', { name: 'the token' }).textContent()) ?? '';
  // A press outside and Escape do not lose it.
  await page.keyboard.press('Escape');
  await page.getByText('Copy the token now').waitFor();
  for (const sender of ['Alertmanager', 'Grafana', 'Datadog', 'Sentry', 'PagerDuty', 'GitHub']) {
    await page.getByRole('dialog').getByLabel('Sender').selectOption(sender);
    await page
      .getByRole('dialog')
      .getByRole('region', { name: `settings of ${sender}` })
      .getByText(token)
      .waitFor();
  }
  expect(await stored(page)).not.toContain(token);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByText('Copy the token now').waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(token);
  expect(await sendSignal(system, token, 'once', {})).toBe(200);

  await page.getByRole('button', { name: 'Delete the token second' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The token second was deleted.').waitFor();
  await expect.poll(() => sendSignal(system, token, 'once', {})).toBe(401);
});

test('an endpoint is edited, switched off and deleted', async () => {
  const { system } = tested;
  const { endpoint, token } = await addEndpoint(system, 'changing');
  const page = await tested.open(`/signals/endpoints/${endpoint.id}`, { as: admin });
  await page.getByRole('button', { name: 'Edit' }).click();
  tested.allow(/^400 PUT /);
  await page.getByLabel('Name').fill('a b');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('should be URL friendly').waitFor();
  await page.getByLabel('Name').fill('changed');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'changed', level: 1 }).waitFor();
  await page.getByRole('switch', { name: 'Endpoint changed' }).click();
  await page.getByText('off: signals are refused').waitFor();
  await expect.poll(() => sendSignal(system, token, 'changed', {})).toBe(404);
  await page.getByRole('button', { name: 'Delete the endpoint changed' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The endpoint changed was deleted.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/signals/endpoints');
});

test('the inbox is searched by a value of the payload, and names at its field what cannot be searched', async () => {
  const { system } = tested;
  const { endpoint, token } = await addEndpoint(system, 'searched');
  await sendSignal(system, token, 'searched', { labels: { severity: 'critical' } });
  await sendSignal(system, token, 'searched', { labels: { severity: 'low' } });
  await system.processAll();
  const page = await tested.open(`/signals?endpoint=${endpoint.id}`, { as: admin });
  await page.getByText('2 signals').waitFor();
  await page.getByLabel('Value in the payload').fill('labels.severity=critical');
  await page.keyboard.press('Enter');
  await page.getByText('One signal').waitFor();
  expect(new URL(page.url()).searchParams.get('payload')).toBe('labels.severity=critical');
  tested.allow(/^400 GET \/api\/admin\/signals/);
  await page.getByLabel('Value in the payload').fill('severity');
  await page.keyboard.press('Enter');
  await page.getByText('should be a path and a value').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('Endpoint').selectOption({ label: 'searched' });
  await page.getByText('2 signals').waitFor();
});

test('a paused inbox stays as it is until it goes on', async () => {
  const { system } = tested;
  const { endpoint, token } = await addEndpoint(system, 'paused');
  await sendSignal(system, token, 'paused', { n: 1 });
  await system.processAll();
  const page = await tested.open(`/signals?endpoint=${endpoint.id}`, { as: admin });
  await page.getByText('One signal').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await sendSignal(system, token, 'paused', { n: 2 });
  await system.processAll();
  await page.getByText('New ones are not shown').waitFor();
  await page.getByRole('button', { name: 'Paused: go on' }).click();
  await page.getByText('2 signals').waitFor();
});

test('a refused value of an action set is named at its field', async () => {
  const { endpoint } = await addEndpoint(tested.system, 'refusing');
  const made = await administer(tested.system, 'POST', actions, setFor(endpoint.id, 'Refused'));
  const page = await tested.open(`/projects/default/actions/${made.id}`, { as: admin });
  tested.allow(/^400 PUT /);
  await page.getByLabel('Environment').fill('nowhere');
  await page.getByRole('button', { name: 'Save action set' }).click();
  const field = page.getByRole('group', { name: 'Action 1' }).locator('input[aria-invalid="true"]');
  await field.waitFor();
  expect(await field.inputValue()).toBe('nowhere');
  await page.getByLabel('Environment').fill('development');
  await page.getByLabel('Operator').selectOption('NUM_GT');
  await page.getByLabel('Value', { exact: true }).fill('many');
  await page.getByRole('button', { name: 'Save action set' }).click();
  await page.getByRole('group', { name: 'Filter 1' }).locator('input[aria-invalid="true"]').waitFor();
});

test('an action set is saved although the lists of endpoints and accounts have not arrived', async () => {
  const { endpoint } = await addEndpoint(tested.system, 'late');
  const made = await administer(tested.system, 'POST', actions, setFor(endpoint.id, 'Late'));
  const page = await tested.open('/signals', { as: admin });
  const saved = Promise.withResolvers<void>();
  await page.route(/\/api\/admin\/(service-account|signal-endpoints)$/, async (route) => {
    await saved.promise;
    await route.continue();
  });
  await page.goto(new URL(`/projects/default/actions/${made.id}`, page.url()).href);
  await page.getByLabel('Description').fill('Saved early');
  await page.getByRole('button', { name: 'Save action set' }).click();
  await page.getByText('The action set Late was saved.').waitFor();
  saved.resolve();
  await page.getByLabel('Signals of').getByText('late').waitFor({ state: 'attached' });
  expect(await page.getByLabel('Signals of').inputValue()).toBe(`${endpoint.id}`);
});

test('an action set that somebody else changes meanwhile is told, and what was typed stays', async () => {
  const { endpoint } = await addEndpoint(tested.system, 'shared');
  const set = setFor(endpoint.id, 'Shared');
  const made = await administer(tested.system, 'POST', actions, set);
  const page = await tested.open(`/projects/default/actions/${made.id}`, { as: admin });
  await page.getByLabel('Description').fill('Mine');
  await administer(tested.system, 'PUT', `${actions}/${made.id}`, { ...set, description: 'Theirs' });
  await page.getByText('Somebody else changed this set').waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('Mine');
  await page.getByRole('button', { name: 'Show theirs' }).click();
  expect(await page.getByLabel('Description').inputValue()).toBe('Theirs');
  await page.getByLabel('Description').fill('Ours');
  await page.getByRole('link', { name: 'Action sets of default' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('switch', { name: 'Action set Shared' }).click();
  await page.getByRole('switch', { name: 'Action set Shared', checked: false }).waitFor();
  await page.getByRole('link', { name: 'Shared' }).click();
  await page.getByRole('button', { name: 'Delete the action set Shared' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The action set Shared was deleted.').waitFor();
});

test('who may not read payloads and endpoints is told which permissions that needs', async () => {
  const { token } = await addEndpoint(tested.system, 'seen');
  await sendSignal(tested.system, token, 'seen', {});
  await tested.system.processAll();
  const page = await tested.open('/signals', { as: await addPerson(tested.system, rootRoles.viewer) });
  await page
    .getByRole('button', { name: /^Show signal/ })
    .first()
    .click();
  await page
    .getByText(
      'You need the permission “Read the events of people in the event log” (READ_LOGS). Without it payloads are not shown.',
    )
    .first()
    .waitFor();
  expect(await page.getByLabel('Value in the payload').isDisabled()).toBe(true);
  await page.getByRole('link', { name: 'Endpoints' }).click();
  await page.getByRole('heading', { name: 'Endpoints are for admins' }).waitFor();
});
