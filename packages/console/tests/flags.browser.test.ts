// Flags in the console: their list, a flag's page, and a new flag.
import { addPerson, administer, casesOfRun, longTest, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { isOn } from '../testing/steps.ts';

const tested = setUpConsole();
const features = '/api/admin/projects/default/features';
let editor: TestPerson;

beforeAll(async () => {
  editor = await addPerson(tested.system, rootRoles.editor);
  await administer(tested.system, 'POST', features, { name: 'checkout', description: 'The new checkout' });
});

test('a switch in the list is done at once, and Undo takes it back', async () => {
  const page = await tested.open('/features', { as: editor });
  await page.getByRole('switch', { name: 'checkout in development' }).click();
  await page.getByText('Switched checkout on in development.').waitFor();
  expect(await isOn(tested.system, 'checkout', 'development')).toBe(true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Switched checkout off in development.').waitFor();
  await page.getByRole('switch', { name: 'checkout in development', checked: false }).waitFor();
  expect(await isOn(tested.system, 'checkout', 'development')).toBe(false);
});

longTest('only the last three switches have a notice', async () => {
  const page = await tested.open('/features', { as: editor });
  const notices = page.locator('[role="dialog"]').filter({ hasText: 'Switched checkout' });
  const control = page.getByRole('switch', { name: 'checkout in development' });
  for (const word of ['on', 'off', 'on', 'off']) {
    await control.click();
    await page.getByRole('switch', { name: 'checkout in development', checked: word === 'on' }).waitFor();
  }
  await page.getByText('Switched checkout off in development.').nth(1).waitFor();
  await expect.poll(() => notices.count()).toBe(3);
});

longTest('a switch in production asks first, and does nothing when it is cancelled', async () => {
  const page = await tested.open('/projects/default/features/checkout', { as: editor });
  const production = page.getByRole('switch', { name: 'checkout in production' });
  await production.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await isOn(tested.system, 'checkout', 'production')).toBe(false);
  await production.click();
  await page.getByRole('dialog').getByText('switches checkout on in production').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Switched checkout on in production.').waitFor();
  expect(await isOn(tested.system, 'checkout', 'production')).toBe(true);
});

test('a new flag is made, and its page opens', async () => {
  const page = await tested.open('/features', { as: editor });
  await page.getByRole('button', { name: 'New flag' }).click();
  const form = page.getByRole('dialog', { name: 'New flag' });
  tested.allow(/^409 POST .*\/features$/);
  await form.getByLabel('Name').fill('checkout');
  await form.getByRole('button', { name: 'Make flag' }).click();
  await form.locator('input[aria-invalid="true"]').waitFor();
  await form.getByLabel('Name').fill('search-box');
  await form.getByRole('button', { name: 'Make flag' }).click();
  await page.getByRole('heading', { name: 'search-box', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/projects/default/features/search-box');
});

longTest('what the list is narrowed to is in its address', async () => {
  const page = await tested.open('/features', { as: editor });
  await page.getByRole('searchbox', { name: 'Search' }).fill('new checkout');
  await page.getByText('One flag').waitFor();
  const beside = await tested.openBeside(page, new URL(page.url()).search.replace(/^/, '/features'));
  await beside.getByText('One flag').waitFor();
  expect(await beside.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('new checkout');
});

longTest('a list is narrowed to a tag, to who made the flags and to favourites', async () => {
  const tags = [{ type: 'simple', value: 'narrow' }];
  await administer(tested.system, 'POST', features, { name: 'tagged', tags });
  await tested.system.call('POST', features, { token: editor.token, body: { name: 'tagged-too', tags } });
  const page = await tested.open('/features', { as: editor });
  await page.getByLabel('Tag', { exact: true }).focus();
  await page.getByLabel('Tag', { exact: true }).selectOption('simple:narrow');
  await page.getByText('2 flags').waitFor();
  await page.getByLabel('Made by').selectOption(editor.username);
  await page.getByText('One flag').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'tagged-too is a favourite' }).click();
  await page.getByLabel('Favourites').selectOption('mine');
  await page.getByText('One flag').waitFor();
  expect(new URL(page.url()).search).toContain('favorite');
  await page.goto(`${tested.system.url}/features?tag=simple%3Agone`);
  await page.getByText('No flag matches').waitFor();
  expect(await page.getByLabel('Tag', { exact: true }).inputValue()).toBe('simple:gone');
});

longTest('several flags are switched together in an environment, on a phone', async () => {
  for (const name of ['bulk-1', 'bulk-2']) await administer(tested.system, 'POST', features, { name });
  const page = await tested.open('/features?q=bulk', { as: editor, size: 'phone' });
  await page.getByText('2 flags').waitFor();
  await page.getByLabel('Select every flag of the list').check();
  await page.getByRole('button', { name: 'Switch on …' }).click();
  await page.getByRole('menuitem', { name: 'in development' }).click();
  await page.getByText('This switches 2 flags on in development.').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Switched 2 flags on in development.').waitFor();
  expect(await isOn(tested.system, 'bulk-2', 'development')).toBe(true);
});

longTest('an archived flag is found behind many that have its name within theirs', async () => {
  const names = [...Array.from({ length: 50 }, (_, index) => `old-pay-${index}`), 'pay'];
  for (const name of names) await administer(tested.system, 'POST', features, { name });
  await administer(tested.system, 'POST', '/api/admin/projects/default/archive', { features: names });
  tested.allow(/^404 GET /);
  const page = await tested.open('/projects/default/features/pay', { as: editor });
  await page.getByRole('button', { name: 'Revive' }).waitFor();
});

longTest('the box above a list says that it selects what was read', async () => {
  const page = await tested.open('/projects', { as: editor });
  const found = await administer(tested.system, 'GET', '/api/admin/search/features?query=checkout&targeting=true');
  await page.route('**/api/admin/search/features?*', (route) => {
    const isFirst = route.request().url().includes('offset=0');
    return route.fulfill({ json: { features: isFirst ? found.features : [], total: 150 } });
  });
  await page.goto(`${tested.system.url}/features?q=checkout`);
  await page.getByLabel('Select the first 1 of 150 flags').check();
  await page.getByText('1 of 150 selected').waitFor();
});

test('no barrier in the list and on the page of a flag', async () => {
  const page = await tested.open('/features', { as: editor });
  await page.getByRole('link', { name: 'checkout' }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('link', { name: 'checkout' }).click();
  await page.getByRole('heading', { name: 'checkout', level: 1 }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

longTest('the theme is chosen in the menu of the account and stays', async () => {
  const page = await tested.open('/features', { as: editor });
  const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
  await page.getByRole('button', { name: 'Account of' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect.poll(scheme).toBe('dark');
  await page.reload();
  await expect.poll(scheme).toBe('dark');
});

test.each(casesOfRun(1, ['/features', '/projects/default/features/checkout']))(
  '%s is not scrolled sideways on a phone',
  async (path) => {
    const page = await tested.open(path, { as: editor, size: 'phone' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  },
);
