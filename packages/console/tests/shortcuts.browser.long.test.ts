// The keys of every page, and the search over all of it.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let editor: TestPerson;

beforeAll(async () => {
  editor = await addPerson(tested.system, rootRoles.editor);
  for (const name of ['checkout', 'search']) {
    await administer(tested.system, 'POST', '/api/admin/projects/default/features', { name });
  }
  await tested.system.processAll();
});

test('Ctrl-K finds a flag and opens it, and a page', async () => {
  const page = await tested.open('/projects', { as: editor });
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('checko');
  await page.getByRole('option', { name: 'checkout' }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'checkout', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('combobox').fill('event');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Event log', level: 1 }).waitFor();
});

test('Ctrl-K finds archived flags after the others', async () => {
  const { system } = tested;
  const ofProject = '/api/admin/projects/default/features';
  await administer(system, 'POST', ofProject, { name: 'checkout-before' });
  await administer(system, 'DELETE', `${ofProject}/checkout-before`);
  // An archived flag is found by searches only.
  tested.allow(/404/);
  const page = await tested.open('/projects', { as: editor });
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('checkout');
  await page.getByRole('option', { name: 'checkout-before archived flag of default' }).waitFor();
  expect(await page.getByRole('option').allInnerTexts()).toEqual([
    expect.stringMatching(/^checkout\s+flag of default$/),
    expect.stringMatching(/^checkout-before\s+archived flag of default$/),
  ]);
  await page.getByRole('option', { name: 'checkout-before' }).click();
  await page.getByRole('button', { name: 'Revive' }).waitFor();
});

test('Ctrl-K says that flags could not be searched, and not that there is none', async () => {
  const page = await tested.open('/projects', { as: editor });
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  tested.allow(/^503 /);
  await page.route('**/api/admin/search/features?*', (route) =>
    route.fulfill({ status: 503, json: { message: 'Try again soon.' } }),
  );
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('checko');
  await page.getByText('Not everything was searched. Try again soon.').waitFor();
  expect(await page.getByText('Nothing is called so.').count()).toBe(0);
});

test('Ctrl-K finds segments, context fields and integrations, and opens them', async () => {
  const { system } = tested;
  await administer(system, 'POST', '/api/admin/segments', { name: 'beta people', constraints: [] });
  const parameters = { url: 'https://example.com/hook' };
  const addon = { provider: 'webhook', enabled: false, parameters, events: ['feature-created'] };
  const { id } = await administer(system, 'POST', '/api/admin/addons', addon);
  const page = await tested.open('/projects', { as: editor });
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  for (const [text, option, address] of [
    ['beta', 'beta people segment', '**/segments/*'],
    ['appna', 'appName context field', '**/context-fields/appName'],
    [`webhook ${id}`, `Webhook ${id} integration`, `**/integrations/${id}`],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(text);
    await page.getByRole('option', { name: option }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
  }
});

test('Ctrl-K finds the tabs of the administration, says what a page needs, and opens it', async () => {
  const page = await tested.open('/projects', { as: editor });
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
  for (const [text, option] of [
    ['group', 'Groups administration'],
    ['personal', 'Personal tokens your account'],
    ['users', 'Users You need the permission “Admin” (ADMIN).'],
  ] as const) {
    await page.getByRole('combobox').fill(text);
    await page.getByRole('option', { name: option }).waitFor();
  }
  expect(await page.getByRole('option').count()).toBe(1);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'You cannot see this: users' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('');
  const found = await page.getByRole('option').allInnerTexts();
  const tabs = await page.getByRole('navigation', { name: 'Admin', includeHidden: true }).locator('a').allInnerTexts();
  expect(tabs.length).toBeGreaterThan(5);
  expect(tabs.filter((tab) => !found.some((text) => text.startsWith(tab)))).toEqual([]);
});

test('single keys lead to pages and rows until they are off', async () => {
  const page = await tested.open('/projects', { as: editor });
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.getByRole('link', { name: 'checkout' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');

  await page.getByRole('button', { name: 'Account of' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Shortcuts of a single key' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
});
