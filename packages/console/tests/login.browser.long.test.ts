// Who sees the console: login and logout, a password that somebody else has set, and what a role does not permit.
import { addPerson, administer, makePassword } from '@yardarm/testing';
import { expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { logInAs } from '../testing/steps.ts';

const tested = setUpConsole();

test('a wrong password is refused in words, the right one opens the flags, and logging out ends that', async () => {
  const page = await tested.open('/features');
  tested.allow(/^401 POST \/auth\/simple\/login$/);
  await logInAs(page, 'admin', 'wrong');
  await page.getByRole('alert').getByText('do not match').waitFor();
  await logInAs(page, 'admin', tested.system.adminPassword);
  await page.getByRole('heading', { name: 'Flags', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Account of' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByLabel('Password').waitFor();
});

test('a user with a password that was not chosen chooses one before anything else', async () => {
  const { system } = tested;
  const person = await addPerson(system, rootRoles.editor);
  // Only the first admin of an installation has such a password.
  await system.database.rows('update accounts.users set must_change_password = true where id = $1', [person.id]);
  const page = await tested.open('/features');
  await logInAs(page, person.username, person.password);
  await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
  tested.allow(/^400 POST \/api\/admin\/user\/change-password$/);
  await page.getByLabel('Present password').fill(person.password);
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByLabel('New password again').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('alert').getByText('at least 10 characters').waitFor();
  const own = makePassword();
  await page.getByLabel('New password', { exact: true }).fill(own);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('The two passwords are not the same.').waitFor();
  await page.getByLabel('New password again').fill(own);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('heading', { name: 'Flags', level: 1 }).waitFor();
});

test('a control whose permission is missing is off and names it', async () => {
  const { system } = tested;
  await administer(system, 'POST', '/api/admin/projects/default/features', { name: 'seen-only' });
  const page = await tested.open('/features', { as: await addPerson(system, rootRoles.viewer) });
  const control = page.getByRole('switch', { name: 'seen-only in development' });
  await control.click({ force: true });
  expect(await control.getAttribute('aria-label')).toContain('(UPDATE_FEATURE_ENVIRONMENT) in project default');
  expect(await control.getAttribute('aria-checked')).toBe('false');
});
