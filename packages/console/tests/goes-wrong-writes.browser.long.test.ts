// What becomes of a change when somebody else writes first, its answer is lost, or the gateway is killed.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { gatewayProcess } from '../testing/gateway-process.ts';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { isOn, showsSwitch } from '../testing/steps.ts';
import { features, rolloutOf, setUpFlags } from '../testing/strategy-steps.ts';
import { startBalancer } from '../testing/two-builds.ts';

const tested = setUpConsole();
const flags = setUpFlags(tested);
let ann: TestPerson;

beforeAll(async () => {
  ann = await addPerson(tested.system, rootRoles.editor);
});

/** As in goes-wrong.browser.test.ts. */
const problemOf = (page: Page) => page.locator('[data-type="problem"]');

const flip = (name: string, verb: 'on' | 'off') =>
  administer(tested.system, 'POST', `${features}/${name}/environments/development/${verb}`);

/** Opens an address of the console that is not that of the system. */
async function openAt(url: string): Promise<Page> {
  const page = await tested.open('/docs', { as: ann });
  tested.allow(/^(error|request): /);
  await page.goto(`${url}/features`);
  return page;
}

/** Applies a reviewed change that the API refuses. Returns the dialog with theirs and yours. */
async function applyTooLate(page: Page) {
  tested.allow(/^4\d\d PATCH /);
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  return page.getByRole('dialog', { name: 'Somebody else changed this' });
}

test('a change that somebody else overtakes on its way is refused, and both are shown beside each other', async () => {
  const { id } = await flags.add('Mine', '10');
  const page = await flags.openEditor('Mine');
  const path = flags.strategies('development', `/${id}`);
  await rolloutOf(page).fill('40');
  await page.getByRole('button', { name: 'Review and save' }).click();
  let sent = 0;
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    sent += 1;
    const theirs = [{ op: 'replace', path: '/parameters', value: { rollout: '20', stickiness: 'default' } }];
    if (sent === 1) await administer(tested.system, 'PATCH', path, theirs);
    return route.continue();
  });
  const dialog = await applyTooLate(page);
  await dialog.getByText('The rollout: “10 %” → “20 %”.').waitFor();
  await dialog.getByText('The rollout: “20 %” → “40 %”.').waitFor();
  expect(sent).toBe(1);
  expect(await flags.strategiesIn('development')).toMatchObject([{ parameters: { rollout: '20' } }]);
  await dialog.getByRole('button', { name: 'Apply mine anyway' }).click();
  await page.getByText(/^Changed the strategy/).waitFor();
  expect(await flags.strategiesIn('development')).toMatchObject([{ parameters: { rollout: '40' } }]);
});

test('an edit of a flag overwrites nobody who was quicker, and other changes of the flag do not stop it', async () => {
  const path = `${features}/${flags.flag()}`;
  const replace = (property: string, value: string) =>
    administer(tested.system, 'PATCH', path, [{ op: 'replace', path: `/${property}`, value }]);
  await replace('description', 'As it was');
  const page = await flags.open();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Description').fill('Mine');
  await page.getByRole('button', { name: 'Review and save' }).click();
  const theirs = [() => replace('description', 'Theirs'), () => replace('type', 'experiment')];
  // Each of theirs is done after the console has read the flag, and before its own change arrives.
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() === 'PATCH') await theirs.shift()?.();
    return route.continue();
  });
  const dialog = await applyTooLate(page);
  await dialog.getByText('The description: “As it was” → “Theirs”.').waitFor();
  await dialog.getByText('The description: “Theirs” → “Mine”.').waitFor();
  expect(await administer(tested.system, 'GET', path)).toMatchObject({ description: 'Theirs' });
  await dialog.getByRole('button', { name: 'Apply mine anyway' }).click();
  await page.getByText(/^Changed the description/).waitFor();
  expect(await administer(tested.system, 'GET', path)).toMatchObject({ description: 'Mine', type: 'experiment' });
});

test('a review stays while its change is on its way, and says what came of it', async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const page = await flags.open();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Description').fill('Without an answer');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.route(`**${features}/${flags.flag()}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await isReleased;
    return route.fulfill({ status: 504, json: { name: 'TimeoutError', message: 'No service answered in time.' } });
  });
  tested.allow(/^504 PATCH /);
  const dialog = page.getByRole('dialog', { name: `Change ${flags.flag()}` });
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await sent;
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Close' }).click({ force: true });
  for (const name of [/^Cancel/, 'Close']) {
    expect(await dialog.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true');
  }
  release();
  await dialog.getByText('The flag was read again: the change is not in effect so far.').waitFor();
});

test('a name that somebody else takes meanwhile is said at its field (409), and what was typed stays', async () => {
  const page = await tested.open('/features', { as: ann });
  await page.getByRole('button', { name: 'New flag' }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('taken-meanwhile');
  await page.getByLabel('Description').fill('Mine');
  await administer(tested.system, 'POST', features, { name: 'taken-meanwhile', description: 'Theirs' });
  tested.allow(/^409 POST /);
  await page.getByRole('button', { name: 'Make flag' }).click();
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByLabel('Description').inputValue()).toBe('Mine');
  const { description } = await administer(tested.system, 'GET', `${features}/taken-meanwhile`);
  expect(description).toBe('Theirs');
});

test('a group that somebody else changes meanwhile is said in its dialog, and what was typed stays until theirs is wanted', async () => {
  const group = await administer(tested.system, 'POST', '/api/admin/groups', { name: 'Crew', description: 'At first' });
  const admin = await addPerson(tested.system, rootRoles.admin);
  const page = await tested.open('/admin/groups', { as: admin });
  await page.getByRole('button', { name: 'Edit Crew' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit Crew' });
  await dialog.getByLabel('Description').fill('Mine');
  await administer(tested.system, 'PUT', `/api/admin/groups/${group.id}`, { name: 'Crew', description: 'Theirs' });
  await dialog.getByText('Somebody else changed this group while you were here.').waitFor();
  await dialog.getByText('The description: “At first” → “Theirs”.').waitFor();
  expect(await dialog.getByLabel('Description').inputValue()).toBe('Mine');
  await dialog.getByRole('button', { name: 'Show theirs, and drop what I typed' }).click();
  expect(await dialog.getByLabel('Description').inputValue()).toBe('Theirs');
  expect(await dialog.getByText('Somebody else changed').count()).toBe(0);
});

test('settings of a project that somebody else changes are said beside them alone, and own saves are not', async () => {
  const id = 'crowded';
  const path = `/api/admin/projects/${id}`;
  await administer(tested.system, 'POST', '/api/admin/projects', { id, name: 'Crowded' });
  const page = await tested.open(`/projects/${id}/settings`, { as: await addPerson(tested.system, rootRoles.admin) });
  const notice = page.getByText(/^Somebody else changed/);
  await page.getByLabel('Description').fill('Mine');
  await page.getByRole('button', { name: 'Save General' }).click();
  await page.getByText('The settings of the project were saved.').waitFor();
  expect(await notice.count()).toBe(0);
  await page.getByLabel('Description').fill('Mine again');
  await administer(tested.system, 'PUT', path, { name: 'Crowded', description: 'Theirs' });
  await notice.waitFor();
  expect(await notice.allTextContents()).toEqual(['Somebody else changed the general settings while you were here.']);
  expect(await page.getByLabel('Description').inputValue()).toBe('Mine again');
});

test('origins that somebody else changes are said, own ones are not, and what was typed stays', async () => {
  const path = '/api/admin/ui-config/cors';
  const page = await tested.open('/admin/settings', { as: await addPerson(tested.system, rootRoles.admin) });
  const notice = page.getByText('Somebody else changed the origins while you were here.');
  const origins = page.getByRole('textbox', { name: 'Origins' });
  await origins.fill('https://a.example, https://b.example');
  await page.getByRole('button', { name: 'Save origins' }).click();
  await page.getByText('The origins were changed.').waitFor();
  expect(await origins.inputValue()).toBe('https://a.example\nhttps://b.example');
  expect(await notice.count()).toBe(0);
  await origins.fill('https://mine.example');
  await administer(tested.system, 'POST', path, { frontendApiOrigins: ['https://theirs.example'] });
  await notice.waitFor();
  expect(await origins.inputValue()).toBe('https://mine.example');
  await page.getByRole('button', { name: 'Show theirs, and drop what I typed' }).click();
  expect(await origins.inputValue()).toBe('https://theirs.example');
});

test('a switch whose answer is lost is unknown: what the server has is read, and the switch is sent once', async () => {
  const { system } = tested;
  await administer(system, 'POST', features, { name: 'lost-answer' });
  const balancer = await startBalancer([system.url], false);
  onTestFinished(balancer.stop);
  const page = await openAt(balancer.url);
  await showsSwitch(page, 'lost-answer', 'development', false);
  let arrived = 0;
  balancer.loses = ({ method }) => {
    if (method !== 'POST') return false;
    arrived += 1;
    return true;
  };
  let sent = 0;
  page.on('request', (request) => void (request.method() === 'POST' && sent++));
  await page.getByRole('switch', { name: 'lost-answer in development' }).click();
  await problemOf(page).getByText('It is unknown whether this switched lost-answer on in development.').waitFor();
  expect(await problemOf(page).getByText('Try again').count()).toBe(0);
  await showsSwitch(page, 'lost-answer', 'development', true);
  // A later change is seen, so what waited to be sent again would have been.
  balancer.loses = () => false;
  await flip('lost-answer', 'off');
  await showsSwitch(page, 'lost-answer', 'development', false);
  expect(await isOn(system, 'lost-answer', 'development')).toBe(false);
  expect({ sent, arrived }).toEqual({ sent: 1, arrived: 1 });
});

test('a page outlives its gateway: it says from when it is, sends no change twice, and follows the next one', async () => {
  const { system } = tested;
  await administer(system, 'POST', features, { name: 'outlived' });
  const gateway = await gatewayProcess(system, inject('consoleDir'));
  onTestFinished(gateway.kill);
  await gateway.start();
  const page = await openAt(gateway.url);
  // A gateway listens before it has its connections.
  tested.allow(/^503 GET /);
  const control = page.getByRole('switch', { name: 'outlived in development' });
  await showsSwitch(page, 'outlived', 'development', false);
  await gateway.kill();
  let sent = 0;
  page.on('request', (request) => void (request.method() === 'POST' && sent++));
  await control.click();
  await problemOf(page).getByText('It is unknown whether this switched outlived on in development.').waitFor();
  await showsSwitch(page, 'outlived', 'development', false);
  await page.getByText('This is from').waitFor();
  await flip('outlived', 'on');
  await gateway.start();
  await showsSwitch(page, 'outlived', 'development', true);
  await page.getByText('This is from').waitFor({ state: 'detached' });
  await flip('outlived', 'off');
  await showsSwitch(page, 'outlived', 'development', false);
  expect(sent).toBe(1);
}, 180_000);

test('a favourite whose answer is lost is unknown too', async () => {
  await administer(tested.system, 'POST', features, { name: 'lost-star' });
  const page = await tested.open('/features?q=lost-star', { as: ann });
  tested.allow(/^(error|request): /);
  await page.route('**/lost-star/favorites', (route) => route.abort());
  await page.getByRole('button', { name: 'lost-star is a favourite' }).click();
  await problemOf(page).getByText('It is unknown whether the list of favourites was changed.').waitFor();
});

test('a star that is pressed twice is sent in that order', async () => {
  await administer(tested.system, 'POST', features, { name: 'pressed-twice' });
  const page = await tested.open('/features?q=pressed-twice', { as: ann });
  const sent: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/pressed-twice/favorites', async (route) => {
    sent.push(route.request().method());
    if (sent.length === 1) await released;
    await route.continue();
  });
  const star = page.getByRole('button', { name: 'pressed-twice is a favourite' });
  await star.click();
  await expect.poll(() => sent).toEqual(['POST']);
  await star.click();
  await page.getByRole('button', { name: 'pressed-twice is a favourite', pressed: false }).waitFor();
  expect(sent).toEqual(['POST']);
  release();
  await expect.poll(() => sent).toEqual(['POST', 'DELETE']);
});

test('flags of several projects: a failure says which were changed, and the next try sends the others alone', async () => {
  const { system } = tested;
  await administer(system, 'POST', '/api/admin/projects', { id: 'second', name: 'Second' });
  await administer(system, 'POST', features, { name: 'part-one' });
  await administer(system, 'POST', '/api/admin/projects/second/features', { name: 'part-two' });
  const page = await tested.open('/features?q=part-', { as: await addPerson(system, rootRoles.admin) });
  tested.allow(/^503 POST /);
  const sent: string[] = [];
  await page.route('**/api/admin/projects/*/stale', (route) => {
    sent.push(new URL(route.request().url()).pathname.split('/').at(-2)!);
    return sent.length === 2 ? route.fulfill({ status: 503, json: { message: 'Not now.' } }) : route.continue();
  });
  await page.getByLabel('Select every flag of the list').check();
  await page.getByRole('button', { name: 'Stale', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This marks 2 flags as stale.').waitFor();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.getByText('Marked one flag as stale.').waitFor();
  await dialog.getByText('This marks one flag as stale.').waitFor();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Marked 2 flags as stale.').waitFor();
  expect(sent).toEqual(['default', 'second', 'second']);
});

test('settings that came too often count down until they can be sent again', async () => {
  const page = await tested.open('/projects/default/settings', { as: await addPerson(tested.system, rootRoles.admin) });
  tested.allow(/^429 /);
  await page.route('**/api/admin/projects/default', (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '600' }, json: { message: 'Too many requests.' } }),
  );
  await page.getByLabel('Description').fill('Too often');
  await page.getByRole('button', { name: 'Save General' }).click();
  const save = page.getByRole('button', {
    name: /^Save General \((10:00|9:5\d)\) \(There were too many requests\.\)$/,
  });
  await save.waitFor();
  expect(await save.getAttribute('aria-disabled')).toBe('true');
});

test('a form in a dialog asks before what was typed is lost', async () => {
  const page = await tested.open('/playground', { as: ann });
  await page.getByRole('link', { name: 'Flags', exact: true }).click();
  await page.getByRole('button', { name: 'New flag' }).click();
  const dialog = page.getByRole('dialog', { name: 'New flag' });
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  const ways = [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 5), () => page.goBack()];
  await dialog.getByLabel('Name').fill('half-typed');
  for (const leave of ways) {
    await leave();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await dialog.getByLabel('Name').inputValue()).toBe('half-typed');
  }
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Leave' }).click();
  await dialog.waitFor({ state: 'detached' });
  // A dialog in which nothing was typed closes at once.
  await page.getByRole('button', { name: 'New flag' }).click();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('a new flag whose page was left while it was sent takes nobody away from another page', async () => {
  const page = await tested.open('/playground', { as: ann });
  await page.getByRole('link', { name: 'Flags', exact: true }).click();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/admin/projects/default/features', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'New flag' }).click();
  const dialog = page.getByRole('dialog', { name: 'New flag' });
  await dialog.getByLabel('Name').fill('made-behind');
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await dialog.getByRole('button', { name: 'Make flag' }).click();
  await dialog.getByRole('button', { name: 'Cancel (The request is being sent.)' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await dialog.isVisible()).toBe(true);
  await page.goBack();
  await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor();
  release();
  expect((await answered).status()).toBe(201);
  await page.waitForLoadState('networkidle');
  expect(new URL(page.url()).pathname).toBe('/playground');
});

test('the review of several flags stays while it is sent, and says what came of it', async () => {
  await administer(tested.system, 'POST', features, { name: 'held-review' });
  const page = await tested.open('/features?q=held-review', { as: ann });
  tested.allow(/^503 POST /);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/admin/projects/*/stale', async (route) => {
    await released;
    await route.fulfill({ status: 503, json: { message: 'Not now.' } });
  });
  await page.getByLabel('Select every flag of the list').check();
  await page.getByRole('button', { name: 'Stale', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Change several flags' });
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.getByRole('button', { name: 'Cancel (The change is being sent.)' }).waitFor();
  await page.keyboard.press('Escape');
  release();
  await dialog.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});
