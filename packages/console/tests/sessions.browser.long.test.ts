// The session of a browser is that of all its tabs.
import { addPerson, administer } from '@yardarm/testing';
import { expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { logInAs, noteStreams, showsSwitch } from '../testing/steps.ts';

const tested = setUpConsole();
const features = '/api/admin/projects/default/features';
const makeFlag = (name: string) => administer(tested.system, 'POST', features, { name });

/** Longer than the time after which a page polls, and after which it reads everything again. */
const beyondPollMs = 40_000;

test('a tab that logs out takes the other tabs with it, and a login in one of them lets all in', async () => {
  const { system } = tested;
  await makeFlag('seen-by-ann');
  const person = await addPerson(system, rootRoles.editor);
  const first = await tested.open('/features', { as: person });
  const second = await tested.openBeside(first, '/projects/default');
  tested.allow(/^401 /);
  await showsSwitch(second, 'seen-by-ann', 'development', false);
  await first.getByRole('button', { name: 'Account of' }).click();
  await first.getByRole('menuitem', { name: 'Log out' }).click();
  for (const page of [first, second]) {
    await page.getByRole('heading', { name: 'Yardarm', level: 1 }).waitFor();
    expect(await page.getByText('seen-by-ann').count()).toBe(0);
  }
  await logInAs(second, person.username, person.password);
  for (const page of [first, second]) await showsSwitch(page, 'seen-by-ann', 'development', false);
});

test('a login as another user shows every tab anew', async () => {
  const { system } = tested;
  await makeFlag('switched-by-nobody');
  const editor = await addPerson(system, rootRoles.editor);
  const viewer = await addPerson(system, rootRoles.viewer);
  const first = await tested.open('/features', { as: editor });
  const second = await tested.openBeside(first, '/features');
  tested.allow(/^401 /);
  await showsSwitch(first, 'switched-by-nobody', 'development', false);
  await showsSwitch(second, 'switched-by-nobody', 'development', false);
  await system.call('POST', '/logout', { token: null, headers: { cookie: editor.cookie } });
  const login = second.getByRole('dialog', { name: 'Your session has ended' });
  await login.waitFor();
  await login.getByLabel('User name or email').fill(viewer.username);
  await login.getByLabel('Password').fill(viewer.password);
  await login.getByRole('button', { name: 'Log in' }).click();
  for (const page of [first, second]) {
    const ofViewer = page.getByRole('switch', {
      name: /switched-by-nobody in development.*UPDATE_FEATURE_ENVIRONMENT/,
    });
    await ofViewer.waitFor();
    await page.getByRole('button', { name: `Account of ${viewer.username}` }).waitFor();
  }
});

test('a session that ends is asked for once in each tab, and the stream is opened again after the login', async () => {
  const { system } = tested;
  await makeFlag('after-login');
  const person = await addPerson(system, rootRoles.editor);
  const page = await tested.open('/docs', { as: person });
  await page.clock.install();
  await page.goto(`${system.url}/features`);
  const beside = await tested.openBeside(page, '/projects/default');
  tested.allow(/^401 /);
  for (const tab of [page, beside]) await showsSwitch(tab, 'after-login', 'development', false);
  await system.call('POST', '/logout', { token: null, headers: { cookie: person.cookie } });
  const dialogs = [page, beside].map((tab) => tab.getByRole('dialog', { name: 'Your session has ended' }));
  for (const dialog of dialogs) await dialog.waitFor();
  let reads = 0;
  page.on('request', (request) => void (request.method() === 'GET' && reads++));
  // Each read would be refused.
  await page.clock.runFor(beyondPollMs);
  expect(reads).toBe(0);
  const streams = noteStreams(page.context());
  await dialogs[1]!.getByLabel('Password').fill(person.password);
  await dialogs[1]!.getByRole('button', { name: 'Log in' }).click();
  for (const dialog of dialogs) await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => streams.length).toBe(1);
  await administer(system, 'POST', `${features}/after-login/environments/development/on`);
  for (const tab of [page, beside]) await showsSwitch(tab, 'after-login', 'development', true);
  expect(streams).toHaveLength(1);
});
