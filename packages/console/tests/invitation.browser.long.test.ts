// The page on which an invited user chooses a password. The gateway serves it without the console too.
import { administer, makePassword } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { logInAs } from '../testing/steps.ts';

const tested = setUpConsole();

test.each(['light', 'dark'] as const)('an invited user chooses a password and logs in (%s)', async (theme) => {
  const username = `invited-${theme}`;
  const body = { username, name: username, rootRole: rootRoles.viewer };
  const { inviteLink } = await administer(tested.system, 'POST', '/api/admin/user-admin', body);
  const { pathname, search } = new URL(inviteLink);
  const page = await tested.open(pathname + search, { theme, size: theme === 'light' ? 'desk' : 'phone' });
  const choose = async (password: string, again: string) => {
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByLabel('New password again').fill(again);
    await page.getByRole('button', { name: 'Set password' }).click();
  };
  await expect.poll(() => page.getByLabel('Account').inputValue()).toBe(username);
  await choose('one', 'another');
  await page.getByRole('alert').getByText('The two passwords are not the same.').waitFor();
  tested.allow(/^400 POST \/auth\/reset\/password$/);
  await choose('short', 'short');
  await page.getByRole('alert').getByText('at least 10 characters').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const password = makePassword();
  await choose(password, password);
  await page.getByRole('link', { name: `Log in as ${username}` }).click();
  await logInAs(page, username, password);
  await page.locator('#main').waitFor();

  tested.allow(/^401 GET \/auth\/reset\/validate$/);
  await page.goto(tested.system.url + pathname + search);
  await page.getByText('This link was already used or has expired.').waitFor();
  expect(await page.getByRole('button', { name: 'Set password' }).isVisible()).toBe(false);
});
