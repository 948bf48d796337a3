// What goes-wrong.browser.test.ts leaves out: limits, services that hang, maintenance, and faults of the console.
import { connectBus } from '@yardarm/shared/bus';
import { switchEnvironment } from '@yardarm/shared/contracts/flags';
import { createLogger } from '@yardarm/shared/log';
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { logInAs } from '../testing/steps.ts';

const tested = setUpConsole({ REQUEST_TIMEOUT_MS: '2000' });
let ann: TestPerson;

beforeAll(async () => {
  ann = await addPerson(tested.system, rootRoles.editor);
});

const makeFlag = (name: string) => administer(tested.system, 'POST', '/api/admin/projects/default/features', { name });

const switchOf = (page: Page, flag: string) => page.getByRole('switch', { name: `${flag} in development` });

/** As in goes-wrong.browser.test.ts. */
const problemOf = (page: Page) => page.locator('[data-type="problem"]');

test('too many attempts count down, and the button works again afterwards', async () => {
  const { system } = tested;
  const person = await addPerson(system, rootRoles.viewer);
  const page = await tested.open('/features');
  tested.allow(/^(401|429) POST \/auth\/simple\/login$/);
  await page.clock.install();
  const answers: number[] = [];
  page.on('response', (response) => response.url().endsWith('/login') && answers.push(response.status()));
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await logInAs(page, person.username, `wrong-${attempt}`);
    await expect.poll(() => answers.length).toBe(attempt);
  }
  expect(answers.at(-1)).toBe(429);
  const button = page.getByRole('button', { name: /^Log in \(\d+:\d\d\)/ });
  await button.waitFor();
  expect(await button.getAttribute('aria-disabled')).toBe('true');
  await page.clock.runFor(2_000);
  const minutes = async () => Number(/\d+/.exec(await button.innerText()));
  const before = await minutes();
  await page.clock.runFor(60_000);
  await expect.poll(minutes).toBe(before - 1);
  // The limit ends in ten minutes.
  await system.database.rows('delete from accounts.rate_limits');
  await page.clock.runFor(600_000);
  await logInAs(page, person.username, person.password);
  await page.getByRole('heading', { name: 'Flags', level: 1 }).waitFor();
});

test('a change without an answer in time is unknown: it is read again and not sent again', async () => {
  const { system } = tested;
  await makeFlag('without-answer');
  const page = await tested.open('/features', { as: ann });
  const control = switchOf(page, 'without-answer');
  await control.waitFor();
  tested.allow(/^50[34] /);
  await system.stopService('flags');
  const log = createLogger({ service: 'test', level: 'silent' });
  const bus = await connectBus({ url: system.natsUrlOf('flags'), name: 'flags', prefix: system.prefix, log });
  const { promise: end, resolve } = Promise.withResolvers<never>();
  bus.serve(switchEnvironment, () => end);
  await bus.flush();
  let writes = 0;
  page.on('request', (request) => void (request.method() === 'POST' && writes++));
  await control.click();
  await problemOf(page).getByText('It is unknown whether this switched without-answer on in development.').waitFor();
  expect(await problemOf(page).getByText('Try again').count()).toBe(0);
  await expect.poll(() => control.getAttribute('aria-checked')).toBe('false');
  resolve({} as never);
  await bus.drain();
  await system.startService('flags');
  await administer(system, 'POST', '/api/admin/projects/default/features/without-answer/environments/development/on');
  await expect.poll(() => control.getAttribute('aria-checked')).toBe('true');
  expect(writes).toBe(1);
});

test('maintenance mode refuses in its words', async () => {
  const { system } = tested;
  await makeFlag('not-now');
  const page = await tested.open('/features', { as: ann });
  await switchOf(page, 'not-now').waitFor();
  tested.allow(/^503 POST /);
  await administer(system, 'POST', '/api/admin/maintenance', { enabled: true });
  onTestFinished(async () => {
    await administer(system, 'POST', '/api/admin/maintenance', { enabled: false });
    // The other services learn of it after the answer. Here flags and accounts: nothing has this id.
    for (const place of ['segments', 'banners'])
      await expect.poll(async () => (await system.call('DELETE', `/api/admin/${place}/4711`)).status).toBe(404);
  });
  await switchOf(page, 'not-now').click();
  await problemOf(page).getByText('is in maintenance mode').waitFor();
  expect(await problemOf(page).getByText('Try again').count()).toBe(0);
});

test('a permission that was taken away is refused in the words of the API', async () => {
  const { system } = tested;
  await makeFlag('taken-away');
  const person = await addPerson(system, rootRoles.editor);
  const page = await tested.open('/features', { as: person });
  const control = switchOf(page, 'taken-away');
  await control.waitFor();
  tested.allow(/^403 POST /);
  await system.call('PUT', `/api/admin/user-admin/${person.id}`, { body: { rootRole: rootRoles.viewer } });
  await control.click();
  await problemOf(page).getByText('UPDATE_FEATURE_ENVIRONMENT').waitFor();
  await expect.poll(() => control.getAttribute('aria-checked')).toBe('false');
});

test('a page that cannot be shown says so, and the rest of the console works', async () => {
  const page = await tested.open('/features', { as: ann });
  tested.allow(/^(error|uncaught): /);
  await page.route('**/api/admin/projects', (route) => route.fulfill({ json: { projects: 'none' } }));
  await page.getByRole('link', { name: 'Projects' }).click();
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
  await page.unroute('**/api/admin/projects');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
});
