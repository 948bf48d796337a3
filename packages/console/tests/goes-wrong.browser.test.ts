// What a person sees when a request has no result: each cause is brought about in a running system.
import { addPerson, administer, longTest, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let ann: TestPerson;

beforeAll(async () => {
  ann = await addPerson(tested.system, rootRoles.editor);
});

const makeFlag = (name: string) => administer(tested.system, 'POST', '/api/admin/projects/default/features', { name });

const switchOf = (page: Page, flag: string) => page.getByRole('switch', { name: `${flag} in development` });

/** The notice of a problem. Screen readers are told its text by an alert, and find the notice once it has the focus. */
const problemOf = (page: Page) => page.locator('[data-type="problem"]');

/** Whether the flag is on in development, as the API says. */
async function isOn(flag: string): Promise<boolean> {
  const { body } = await tested.system.call('GET', `/api/admin/projects/default/features/${flag}`);
  return body.environments.find(({ name }: { name: string }) => name === 'development').enabled;
}

async function openNewFlag(page: Page, name: string, description: string): Promise<void> {
  await page.getByRole('button', { name: 'New flag' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Description').fill(description);
}

test('a refused value is said at its field, and what was typed stays', async () => {
  const page = await tested.open('/features', { as: ann });
  tested.allow(/^400 POST /);
  await openNewFlag(page, 'not a name', 'Kept.');
  await page.getByRole('button', { name: 'Make flag' }).click();
  const name = page.getByLabel('Name', { exact: true });
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
  const ids = (await name.getAttribute('aria-describedby'))!.split(' ');
  expect(await page.locator(`[id="${ids.at(-1)}"]`).innerText()).toContain('You sent "not a name".');
  expect(await page.getByLabel('Description').inputValue()).toBe('Kept.');
});

longTest(
  'a session that has ended is asked for over the page; what was typed stays and is sent after the login',
  async () => {
    const { system } = tested;
    const person = await addPerson(system, rootRoles.editor);
    const page = await tested.open('/features', { as: person });
    tested.allow(/^401 /);
    await openNewFlag(page, 'typed-before', 'Typed before the login.');
    await system.call('POST', '/logout', { token: null, headers: { cookie: person.cookie } });
    const login = page.getByRole('dialog', { name: 'Your session has ended' });
    const make = page.getByRole('button', { name: 'Make flag' });
    // The stream ends with the session, and asks too.
    await make.click({ timeout: 1000 }).catch(() => undefined);
    await login.waitFor();
    expect(await login.getByLabel('User name or email').inputValue()).toBe(person.username);
    await login.getByLabel('Password').fill(person.password);
    await login.getByRole('button', { name: 'Log in' }).click();
    await login.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Description').inputValue()).toBe('Typed before the login.');
    await make.click();
    await page.getByRole('heading', { name: 'typed-before', level: 1 }).waitFor();
  },
);

test('while a service is away a switch goes back with words, what was read stays, and it can be sent again', async () => {
  await makeFlag('without-service');
  const page = await tested.open('/features', { as: ann });
  const control = switchOf(page, 'without-service');
  await control.waitFor();
  tested.allow(/^50[34] /);
  await tested.system.stopService('flags');
  await control.click();
  const toast = problemOf(page);
  await toast.getByText('Nothing was done.').waitFor();
  await expect.poll(() => control.getAttribute('aria-checked')).toBe('false');
  await page.getByText('This is from').waitFor();
  await tested.system.startService('flags');
  await toast.getByText('Try again').click();
  await expect.poll(() => isOn('without-service')).toBe(true);
  await expect.poll(() => control.getAttribute('aria-checked')).toBe('true');
  await page.getByText('This is from').waitFor({ state: 'detached' });
});

longTest('a browser without a network says so, sends no change, and goes on when it is online', async () => {
  await makeFlag('offline-flag');
  const page = await tested.open('/features', { as: ann });
  const control = switchOf(page, 'offline-flag');
  await control.waitFor();
  tested.allow(/^error: .*ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(true);
  await page.getByText('This browser is offline. The page shows').waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.method()));
  await control.click();
  const toast = problemOf(page);
  await toast.getByText('Nothing was sent.').waitFor();
  await expect.poll(() => control.getAttribute('aria-checked')).toBe('false');
  expect(requests).not.toContain('POST');
  await page.context().setOffline(false);
  await page.getByText('This browser is offline. The page shows').waitFor({ state: 'detached' });
  await toast.getByText('Try again').click();
  await expect.poll(() => isOn('offline-flag')).toBe(true);
});
