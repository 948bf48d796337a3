// Details of the layout on a phone and on a desk, and the ends of forms.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let admin: TestPerson;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
});

const boxOf = async (of: Locator) => (await of.boundingBox())!;

test('a long hint beside few fields makes no button taller than the others', async () => {
  const page = await tested.open('/projects/default/settings', { as: admin });
  const [few, many] = [
    page.getByRole('button', { name: 'Save Links' }),
    page.getByRole('button', { name: 'Save Gen' }),
  ];
  expect((await boxOf(few)).height).toBe((await boxOf(many)).height);
});

test('on a phone the words after a long name of a flag are not broken within a word', async () => {
  const name = 'a-name-of-a-flag-that-is-longer-than-a-line-of-a-phone';
  await administer(tested.system, 'POST', '/api/admin/projects/default/features', { name });
  const page = await tested.open('/welcome', { as: admin, size: 'phone' });
  const place = page.getByRole('button', { name }).getByText('in default');
  await place.waitFor();
  expect((await boxOf(place)).height).toBeLessThan(30);
});

test('on a phone the filters of a list end at the same edge', async () => {
  const page = await tested.open('/staleness', { as: admin, size: 'phone' });
  const [project, state] = [await boxOf(page.getByLabel('Project')), await boxOf(page.getByLabel('State'))];
  expect(state.x + state.width).toBe(project.x + project.width);
});

test('a token of a service account has its button beside it, and not beside those of the account', async () => {
  const account = { username: 'robot', name: 'Robot', rootRole: rootRoles.viewer };
  const { id } = await administer(tested.system, 'POST', '/api/admin/service-account', account);
  const token = { description: 'ci', expiresAt: '2999-01-01T00:00:00Z' };
  await administer(tested.system, 'POST', `/api/admin/service-account/${id}/token`, token);
  const page = await tested.open('/admin/service-accounts', { as: admin });
  const text = await boxOf(page.getByRole('list', { name: 'Tokens of Robot' }).getByText(/^ci/));
  const ofToken = await boxOf(page.getByRole('button', { name: 'Delete the token ci' }));
  const ofAccount = await boxOf(page.getByRole('button', { name: 'Edit Robot' }));
  expect(ofToken.x - text.x).toBeLessThan(ofAccount.x - ofToken.x);
});

test('a new action set is left by Cancel, with a question once something was typed', async () => {
  const page = await tested.open('/projects/default/actions/new', { as: admin });
  await page.getByLabel('Name').fill('half');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe('/projects/default/actions');
});

test('a page that is not there has a heading and a title', async () => {
  const page = await tested.open('/nowhere', { as: admin });
  await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor();
  expect(await page.title()).toBe('There is no such page · Yardarm');
});
