// The administration in the console: tokens, users, groups, roles, access, banners, settings and status.
import { readFile } from 'node:fs/promises';
import { addPerson, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let admin: TestPerson;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
});

test('a token is made and its secret works, then it is deleted', async () => {
  const page = await tested.open('/admin/api', { as: admin });
  await page.getByRole('button', { name: 'New API token' }).click();
  await page.getByLabel('Name').fill('checkout service');
  await page.getByRole('button', { name: 'Make token' }).click();
  const secret = (await page.getByLabel('the token').innerText()).trim();
  // A browser that refuses the clipboard.
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))');
  await page.getByRole('button', { name: 'Copy the token' }).click();
  await page.getByRole('button', { name: 'Selected the token' }).waitFor();
  expect(await page.evaluate('getSelection().toString().trim()')).toBe(secret);
  const read = await tested.system.call('GET', '/api/client/features', { token: secret });
  expect(read.status).toBe(200);

  await page.getByRole('button', { name: 'I have copied it' }).click();
  const list = page.getByRole('list', { name: 'API tokens' });
  await list.getByText('checkout service', { exact: true }).waitFor();
  expect(await list.innerText()).not.toContain(secret);
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete the token checkout service' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('The token checkout service was deleted.').waitFor();
});

test('a viewer sees which permission a new token needs', async () => {
  const viewer = await addPerson(tested.system, rootRoles.viewer);
  const page = await tested.open('/admin/api', { as: viewer });
  await page
    .getByText('You need the permission “Read frontend API tokens” (READ_FRONTEND_API_TOKEN)')
    .first()
    .waitFor();
  const button = page.getByRole('button', { name: 'New API token' });
  expect(await button.getAttribute('aria-disabled')).toBe('true');
});

test('a user is invited: what is refused is said at its field, and the link lets them choose a password', async () => {
  const page = await tested.open('/admin/users', { as: admin });
  await page.getByRole('button', { name: 'Invite user' }).click();
  await page.getByLabel('User name').fill('grace');
  await page.getByLabel('E-mail').fill('not an address');
  tested.allow(/^400 POST /);
  await page.getByRole('button', { name: 'Make invitation' }).click();
  await expect.poll(() => page.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByRole('button', { name: 'Make invitation' }).click();
  const link = (await page.getByLabel('the link').innerText()).trim();
  expect(link).toContain('token=');

  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('list', { name: 'Users' }).getByText('grace', { exact: true }).first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

test('a group with a member is made, and another tab shows it without a reload', async () => {
  const page = await tested.open('/admin/groups', { as: admin });
  await page.getByText('There is no group yet').waitFor();
  const beside = await tested.openBeside(page, '/admin/groups');
  await beside.getByText('There is no group yet').waitFor();
  await page.getByRole('button', { name: 'New group' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Release crew');
  await page.getByLabel(admin.username).check();
  await page.getByRole('button', { name: 'Make group' }).click();
  await page.getByText('1 member').waitFor();
  await beside.getByText('1 member').waitFor();
});

test('a service account gets a token that works', async () => {
  const page = await tested.open('/admin/service-accounts', { as: admin });
  await page.getByRole('button', { name: 'New service account' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Deploys');
  await page.getByLabel('User name').fill('deploys');
  await page.getByRole('button', { name: 'Make service account' }).click();
  await page.getByRole('button', { name: 'New token of Deploys' }).click();
  await page.getByLabel('Description').fill('pipeline');
  await page.getByRole('button', { name: 'Make token' }).click();
  const token = (await page.getByLabel('the token').innerText()).trim();
  const { body } = await tested.system.call('GET', '/api/admin/user', { token });
  expect(body.user.username).toBe('deploys');
});

test('a role is made, is in the matrix, and is given in a project', async () => {
  const page = await tested.open('/admin/roles/new', { as: admin });
  await page.getByLabel('Name', { exact: true }).fill('Release manager');
  const production = page.getByRole('region', { name: 'Environment production' });
  await production.getByLabel('Switch flags on and off').check();
  await page.getByRole('button', { name: 'Make role' }).click();
  const matrix = page.getByRole('region', { name: 'Permissions of project roles' });
  await matrix.getByRole('columnheader', { name: 'Release manager' }).waitFor();
  expect(await findBarriers(page)).toEqual([]);

  const member = await addPerson(tested.system, rootRoles.viewer);
  await page.goto(`${tested.system.url}/projects/default/access`);
  await page.getByRole('button', { name: 'Give access' }).click();
  await page.getByLabel('User or group').selectOption(`user ${member.id}`);
  await page.getByLabel(/^Release manager/).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Give access' }).click();
  await page.getByRole('list', { name: 'Who has access' }).getByText('Release manager').waitFor();
  expect(await findBarriers(page)).toEqual([]);

  await page.goto(`${tested.system.url}/admin/access?of=${member.id}&project=default&environment=production`);
  const mayDo = page.getByRole('region', { name: `What may ${member.username} do?` });
  await expect.poll(() => mayDo.getByText('Switch flags on and off').innerText()).not.toContain('not permitted');
  expect(await mayDo.getByText('Archive flags').innerText()).toContain('not permitted');
  expect(await findBarriers(page)).toEqual([]);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv).toContain('Release manager');
});

test('the matrix of roles does not deny what it could not read', async () => {
  const page = await tested.open('/admin', { as: admin });
  tested.allow(/^500 GET /);
  const role = `**/api/admin/roles/${rootRoles.admin}`;
  await page.route(role, (route) => route.fulfill({ status: 500, json: { message: 'The role was not read.' } }));
  await page.goto(`${tested.system.url}/admin/roles`);
  await page.getByText('The role was not read.').waitFor();
  const create = page
    .getByRole('region', { name: 'Permissions of root roles' })
    .getByRole('row', { name: /^Create projects / });
  await create.getByRole('cell', { name: 'no', exact: true }).first().waitFor();
  expect(await create.getByRole('cell', { name: 'not read' }).count()).toBe(1);
  await page.unroute(role);
  await page.getByRole('button', { name: 'Try again' }).click();
  await create.getByRole('cell', { name: 'not read' }).waitFor({ state: 'detached' });
  await page.getByText('The role was not read.').waitFor({ state: 'detached' });
});

test('the name of a user is not said to be removed, which the API cannot do', async () => {
  const user = await addPerson(tested.system, rootRoles.viewer);
  const path = `/api/admin/user-admin/${user.id}`;
  await tested.system.call('PUT', path, { token: admin.token, body: { name: 'Ann Bonny' } });
  const page = await tested.open('/admin/users', { as: admin });
  await page.getByRole('button', { name: 'Edit Ann Bonny' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.locator('input:invalid').waitFor();
  await dialog.getByLabel('Name').fill('Ann Cormac');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit Ann Cormac' }).waitFor();
});

test('an export of the log says what it has, and which permission it needs', async () => {
  const page = await tested.open('/events?from=2026-01-31', { as: admin });
  const link = page.getByRole('link', { name: 'Export all events of these days as CSV' });
  expect(await link.getAttribute('href')).toMatch(/\?format=csv&from=2026-01-31$/);
  const viewer = await addPerson(tested.system, rootRoles.viewer);
  const theirs = await tested.open('/events', { as: viewer });
  const button = theirs.getByRole('button', { name: /^Export all events as NDJSON .*READ_LOGS/ });
  expect(await button.getAttribute('aria-disabled')).toBe('true');
});

test('a banner is seen by everybody, with its link, until it is off', async () => {
  const page = await tested.open('/admin/banners', { as: admin });
  await page.getByRole('button', { name: 'New banner' }).click();
  tested.allow(/^400 POST /);
  const message = page.getByLabel('Message');
  await message.fill('[x](http://example.com)');
  await page.getByRole('button', { name: 'Make banner' }).click();
  await expect.poll(() => message.getAttribute('aria-invalid')).toBe('true');
  await message.fill('**Upgrade** at noon, see [the plan](https://example.com/plan)');
  await page.getByRole('button', { name: 'Make banner' }).click();
  const viewer = await addPerson(tested.system, rootRoles.viewer);
  const seen = await tested.open('/projects', { as: viewer });
  const banner = seen.getByRole('complementary', { name: 'Information' });
  expect(await banner.getByRole('link', { name: 'the plan' }).getAttribute('href')).toBe('https://example.com/plan');
  expect(await findBarriers(seen)).toEqual([]);

  await page.getByRole('switch', { name: 'Everybody sees' }).click();
  await banner.waitFor({ state: 'detached' });
});

test('maintenance mode begins after a question, and every page says so', async () => {
  const page = await tested.open('/admin/settings', { as: admin });
  await page.getByRole('switch', { name: 'Maintenance mode' }).click();
  await page.getByRole('button', { name: 'Begin it' }).click();
  await page.getByText('Everything can be read; changes are refused.').waitFor();
  await page.getByRole('switch', { name: 'Maintenance mode' }).click();
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByText('Everything can be read; changes are refused.').waitFor({ state: 'detached' });
  expect(await findBarriers(page)).toEqual([]);
});

test('the status names every service', async () => {
  const page = await tested.open('/admin/status', { as: admin });
  const list = page.getByRole('list', { name: 'Services' });
  for (const service of ['gateway', 'flags', 'accounts']) await list.getByText(service, { exact: true }).waitFor();
  await page.getByText('Users seen in 30 days').waitFor();
  expect(await findBarriers(page)).toEqual([]);
});
