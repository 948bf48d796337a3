// A user changes the password from the menu.
import { addPerson } from '@yardarm/testing';
import { expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();

test('a Viewer changes the own password, and logs in with the new one only', async () => {
  const { system } = tested;
  const person = await addPerson(system, rootRoles.viewer);
  const page = await tested.open('/features', { as: person });
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Your password' }).click();
  const password = 'Another-horse-8';
  // Password managers store the new one under this name.
  expect(await page.locator('input[autocomplete="username"]').inputValue()).toBe(person.username);
  await page.getByLabel('Present password').fill(person.password);
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('New password again').fill(password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password is changed.').waitFor();
  const logIn = (secret: string) =>
    system.call('POST', '/auth/simple/login', { token: null, body: { username: person.username, password: secret } });
  expect([(await logIn(person.password)).status, (await logIn(password)).status]).toEqual([401, 200]);
});
