// The views of flags that a user saves: from the filters of a list to Ctrl-K.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
const path = '/api/admin/user/views';
let viewer: TestPerson;

beforeAll(async () => {
  const features = '/api/admin/projects/default/features';
  await administer(tested.system, 'POST', features, { name: 'checkout', type: 'release' });
  await administer(tested.system, 'POST', features, { name: 'search', type: 'experiment' });
  viewer = await addPerson(tested.system, rootRoles.viewer);
});

const as = (person: TestPerson, method: string, place: string, body?: object) =>
  tested.system.call(method, place, { token: null, headers: { cookie: person.cookie }, body });
const viewsOf = async (person: TestPerson) => (await as(person, 'GET', path)).body.views;

const rowOf = (page: Page) => page.getByRole('navigation', { name: 'Saved views' });

async function choose(page: Page, view: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `What to do with the view ${view}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('filters are saved under a name, opened by it, changed, replaced, renamed and deleted', async () => {
  const page = await tested.open('/features', { as: viewer });
  await page.getByRole('button', { name: 'Save view (Choose filters first.)' }).waitFor();
  await page.getByLabel('Type', { exact: true }).selectOption('experiment');
  await page.getByText('One flag').waitFor();
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Experiments');
  await page.keyboard.press('Enter');
  await page.getByText('The view Experiments was saved.').waitFor();
  const link = rowOf(page).getByRole('link', { name: 'Experiments' });
  await expect.poll(() => link.getAttribute('aria-current')).toBe('page');
  expect(await viewsOf(viewer)).toMatchObject([{ name: 'Experiments', project: null, query: 'type=experiment' }]);

  await page.getByLabel('Type', { exact: true }).selectOption('release');
  await rowOf(page).getByText('changed').waitFor();
  expect(await link.getAttribute('aria-current')).toBe('page');
  await link.click();
  await rowOf(page).getByText('changed').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'search' }).waitFor();

  await page.getByLabel('Type', { exact: true }).selectOption('release');
  await rowOf(page).getByText('changed').waitFor();
  await choose(page, 'Experiments', 'Replace by these filters');
  await rowOf(page).getByText('changed').waitFor({ state: 'detached' });
  expect(await viewsOf(viewer)).toMatchObject([{ query: 'type=release' }]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await rowOf(page).getByText('changed').waitFor();
  expect(await viewsOf(viewer)).toMatchObject([{ query: 'type=experiment' }]);

  await choose(page, 'Experiments', 'Rename');
  await page.getByRole('dialog').getByLabel('Name').fill('Tried out');
  await page.getByRole('button', { name: 'Rename' }).click();
  await rowOf(page).getByRole('link', { name: 'Tried out' }).waitFor();
  await choose(page, 'Tried out', 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  // While the dialog is open, nothing behind it has a role.
  await page.getByText('The view Tried out was deleted.').waitFor();
  await rowOf(page).getByRole('link').waitFor({ state: 'detached' });
  expect(await viewsOf(viewer)).toEqual([]);
  await expect.poll(() => new URL(page.url()).search).toBe('?type=release');
});

test('a taken name is said at its field', async () => {
  const person = await addPerson(tested.system, rootRoles.viewer);
  await as(person, 'POST', path, { name: 'Taken', query: '' });
  tested.allow(/^409 POST .*\/views$/);
  const page = await tested.open('/features?state=stale', { as: person });
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Taken');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('You have already saved a view with the name "Taken".').waitFor();
  expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
});

test('Ctrl-K opens a view of a project by keyboard alone, and the page of the project has no other views', async () => {
  const person = await addPerson(tested.system, rootRoles.viewer);
  await as(person, 'POST', path, { name: 'Our releases', project: 'default', query: 'type=release' });
  await as(person, 'POST', path, { name: 'All that is stale', query: 'state=stale' });
  const page = await tested.open('/features', { as: person });
  await rowOf(page).getByRole('link', { name: 'Our releases' }).waitFor();
  expect(await rowOf(page).getByRole('link').count()).toBe(2);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('our rel');
  await page.getByRole('option', { name: 'Our releases saved view of default' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Default', level: 1 }).waitFor();
  await page.getByText('One flag').waitFor();
  expect(new URL(page.url()).pathname).toBe('/projects/default');
  const link = rowOf(page).getByRole('link');
  await expect.poll(() => link.getAttribute('aria-current')).toBe('page');
  expect(await link.innerText()).toBe('Our releases');
  expect(await findBarriers(page)).toEqual([]);
  await link.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Rename' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByLabel('Name').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Releases');
  await page.keyboard.press('Enter');
  await page.getByText('The view is called Releases now.').waitFor();
});

test('views that cannot be read are said to be so, and are read again', async () => {
  const person = await addPerson(tested.system, rootRoles.viewer);
  await as(person, 'POST', path, { name: 'Still here', query: 'state=stale' });
  tested.allow(/^404 GET .*\/views$/);
  const page = await tested.open('/projects', { as: person });
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  await page.route(`**${path}`, (route) => route.fulfill({ status: 404, body: '' }));
  await page.getByRole('link', { name: 'Flags' }).first().click();
  await page.getByText('Your views could not be read.').waitFor();
  await page.unroute(`**${path}`);
  await page.getByRole('button', { name: 'Read views again' }).click();
  await rowOf(page).getByRole('link', { name: 'Still here' }).waitFor();
});

test.each([
  ['light', 'desk'],
  ['dark', 'phone'],
] as const)('%s, %s: many views with long names have no barrier and do not scroll sideways', async (theme, size) => {
  const person = await addPerson(tested.system, rootRoles.viewer);
  for (let number = 1; number <= 12; number += 1)
    await as(person, 'POST', path, { name: `${number}${'Long'.repeat(number)}`, project: 'default', query: 'q=x' });
  const [first] = await viewsOf(person);
  const page = await tested.open(`/features?q=y&view=${first.id}`, { as: person, theme, size });
  await rowOf(page).getByText('changed').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
});
