// Signals in the console, from an endpoint to a flag that an action set switches.
import { addPerson, addServiceAccount, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { sendSignal } from '../testing/signals.ts';
import { isOn } from '../testing/steps.ts';

const tested = setUpConsole();
const features = '/api/admin/projects/default/features';
let admin: TestPerson;

/** What a page must show as text. A mark that turns the direction of a text is escaped. */
const hostile = { '<img src=x onerror=alert(1)>': 'javascript:alert(1)', turned: '\u202egpj', html: '</pre><b>' };

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
});

/** Makes an endpoint with a token on its pages, and returns the token. */
async function makeEndpoint(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New endpoint' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Make endpoint' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name').fill('alertmanager');
  await page.getByRole('button', { name: 'Make token' }).click();
  const token = (await page.getByRole('region', { name: 'the token' }).textContent()) ?? '';
  const settings = await page.getByRole('dialog').getByRole('region', { name: 'settings of curl' }).textContent();
  expect(settings).toContain(token);
  expect(settings).toContain(`${tested.system.url}/api/signal-endpoint/${name}`);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  return token;
}

test('a signal of a new endpoint appears in an open inbox as it was sent, and an action set switches a flag off', async () => {
  const { system } = tested;
  await administer(system, 'POST', features, { name: 'checkout-v2' });
  await administer(system, 'POST', `${features}/checkout-v2/environments/development/on`);
  const account = await addServiceAccount(system, rootRoles.editor);

  const page = await tested.open('/signals/endpoints', { as: admin });
  const token = await makeEndpoint(page, 'alerts');
  const inbox = await tested.openBeside(page, '/signals');
  await inbox.getByRole('heading', { name: 'No signal has arrived' }).waitFor();
  const payload = { status: 'firing', commonLabels: { flag: 'checkout-v2' }, ...hostile };
  expect(await sendSignal(system, token, 'alerts', payload)).toBe(200);
  await inbox.getByText('no action set ran').waitFor();
  await inbox.getByRole('button', { name: /^Show signal/ }).click();
  const shown = await inbox.getByRole('region', { name: 'Payload of signal' }).textContent();
  expect(shown).toContain('\\u202egpj');
  expect(JSON.parse(shown ?? '')).toEqual(payload);
  await inbox.getByRole('link', { name: 'Default' }).click();

  await inbox.getByLabel('Name').fill('Off at a critical alert');
  await inbox.getByRole('button', { name: 'Add a filter' }).click();
  const filter = inbox.getByRole('group', { name: 'Filter 1' });
  await filter.getByLabel('Parameter').fill('status');
  await filter.getByLabel('Add values').fill('firing');
  await filter.getByRole('button', { name: 'Add', exact: true }).click();
  const action = inbox.getByRole('group', { name: 'Action 1' });
  await action.getByLabel('Environment').fill('development');
  await action.getByLabel('Flag').fill('{{payload.commonLabels.flag}}');
  await inbox.getByLabel('Service account').selectOption(`${account.id}`);
  await inbox.getByRole('button', { name: 'Try', exact: true }).click();
  await inbox.getByText('It matches').waitFor();
  await inbox.getByText('1. Switch a flag off: development, checkout-v2').waitFor();
  await filter.getByLabel('Parameter').fill('state');
  await inbox.getByText('It matches').waitFor({ state: 'detached' });
  await filter.getByLabel('Parameter').fill('status');
  expect(await isOn(system, 'checkout-v2', 'development')).toBe(true);
  await inbox.getByRole('button', { name: 'Save action set' }).click();
  await inbox.getByText('It has not run yet.').waitFor();

  await sendSignal(system, token, 'alerts', payload);
  await expect.poll(() => isOn(system, 'checkout-v2', 'development')).toBe(false);
  await system.processAll();
  // The page itself asks every 5 s.
  await inbox.reload();
  await inbox.getByText('Switched the feature "checkout-v2" off').waitFor();
  await page.goto(`${system.url}/signals?ran=yes`);
  await page.getByText('One signal').waitFor();
  await page.getByText('Off at a critical alert').waitFor();
});
