// How pages stay current without a stream, and what they say about changes of others.
import { get } from 'node:http';
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { noteNextStreams, showsSwitch } from '../testing/steps.ts';

/** Of the browser, in which a function of a test runs. */
declare class MutationObserver {
  constructor(callback: () => void);
  observe(element: unknown, options: { attributeFilter: string[] }): void;
}

const tested = setUpConsole();
let ann: TestPerson;

beforeAll(async () => {
  ann = await addPerson(tested.system, rootRoles.editor);
});

/** Longer than the time after which a page polls, and after which it reads everything again. */
const beyondPollMs = 40_000;

const features = '/api/admin/projects/default/features';
const makeFlag = (name: string) => administer(tested.system, 'POST', features, { name });
const flip = (name: string, verb: 'on' | 'off') =>
  administer(tested.system, 'POST', `${features}/${name}/environments/development/${verb}`);

/** In the browser: lets the page believe that it is hidden, or seen again. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    Object.defineProperty(document, 'visibilityState', { value: '${isHidden ? 'hidden' : 'visible'}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true })); undefined`);

/** Counts the reads of the page from now on. */
function countReads(page: Page): () => number {
  let reads = 0;
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch' && request.method() === 'GET') reads += 1;
  });
  return () => reads;
}

/** Opens as many streams as one caller may have. */
async function openAllStreams(cookie: string): Promise<() => void> {
  const ending = new AbortController();
  const opened = Array.from({ length: 50 }, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const url = `${tested.system.url}/api/admin/events/stream`;
    get(url, { headers: { cookie }, agent: false, signal: ending.signal }, () => resolve()).on('error', () =>
      resolve(),
    );
    await promise;
  });
  await Promise.all(opened);
  return () => ending.abort();
}

test('a page whose stream is refused polls, and follows the stream once it is there', async () => {
  const { system } = tested;
  await makeFlag('polled');
  const person = await addPerson(system, rootRoles.editor);
  const end = await openAllStreams(person.cookie);
  onTestFinished(end);
  tested.allow(/^(429|503) GET \/api\/admin\/events\/stream$/);
  const page = await tested.open('/projects', { as: person });
  const streams = await noteNextStreams(page);
  await page.goto(`${system.url}/features`);
  await showsSwitch(page, 'polled', 'development', false);
  await expect.poll(() => streams.length).toBe(1);
  expect((await streams[0]!.response())!.status()).toBe(429);
  await flip('polled', 'on');
  await showsSwitch(page, 'polled', 'development', true);
  expect(streams.length).toBeLessThanOrEqual(2);
  end();
  // Refused until the gateway has noticed that the other streams are gone.
  await expect.poll(async () => (await streams.at(-1)!.response())?.status(), { timeout: 60_000 }).toBe(200);
  const reads = countReads(page);
  await flip('polled', 'off');
  await showsSwitch(page, 'polled', 'development', false);
  expect(reads()).toBeGreaterThan(0);
});

test('a browser without Web Locks opens no stream, and its page polls while it is seen', async () => {
  const { system } = tested;
  await makeFlag('without-locks');
  const page = await tested.open('/projects', { as: ann });
  const streams = await noteNextStreams(page);
  await page.context().addInitScript('delete Navigator.prototype.locks');
  await page.clock.install();
  await page.goto(`${system.url}/features`);
  await showsSwitch(page, 'without-locks', 'development', false);
  await flip('without-locks', 'on');
  await showsSwitch(page, 'without-locks', 'development', true);
  expect(streams).toEqual([]);
  await setHidden(page, true);
  await page.waitForLoadState('networkidle');
  const reads = countReads(page);
  await page.clock.runFor(beyondPollMs);
  expect(reads()).toBe(0);
});

test('a page that polls does not verify the log again', async () => {
  const page = await tested.open('/projects', { as: await addPerson(tested.system, rootRoles.admin) });
  await page.goto('about:blank');
  await page.context().addInitScript('delete Navigator.prototype.locks');
  await page.clock.install();
  await page.goto(`${tested.system.url}/events`);
  await page.getByText('Chain verified to event').waitFor();
  await page.waitForLoadState('networkidle');
  let verifications = 0;
  page.on('request', (request) => void (request.url().endsWith('/events/verify') && verifications++));
  const reads = countReads(page);
  await page.clock.runFor(beyondPollMs);
  await expect.poll(reads).toBeGreaterThan(0);
  await page.waitForLoadState('networkidle');
  expect(verifications).toBe(0);
});

test('a page that is not seen reads nothing, and reads what has changed when it is seen', async () => {
  await makeFlag('unseen');
  const page = await tested.open('/features', { as: ann });
  await showsSwitch(page, 'unseen', 'development', false);
  // The stream is open: another change was seen.
  await flip('unseen', 'on');
  await showsSwitch(page, 'unseen', 'development', true);
  await page.waitForLoadState('networkidle');
  await setHidden(page, true);
  const reads = countReads(page);
  await flip('unseen', 'off');
  await tested.system.processAll();
  await page.getByText('switched off by').waitFor();
  expect(reads()).toBe(0);
  await setHidden(page, false);
  await showsSwitch(page, 'unseen', 'development', false);
});

test('a switch by somebody else names them; one of the same user in another tab does not', async () => {
  const { system } = tested;
  await makeFlag('whose');
  const bob = await addPerson(system, rootRoles.editor);
  const page = await tested.open('/projects/default/features/whose', { as: ann });
  await showsSwitch(page, 'whose', 'development', false);
  await system.call('POST', `${features}/whose/environments/development/on`, { token: bob.token });
  await page.getByText(`switched on by ${bob.username}`).waitFor();
  const beside = await tested.openBeside(page, '/features');
  await showsSwitch(beside, 'whose', 'development', true);
  await beside.getByRole('switch', { name: 'whose in development' }).click();
  await showsSwitch(page, 'whose', 'development', false);
  await page.getByText(/switched (on|off) by/).waitFor({ state: 'detached' });
  expect(await beside.getByText(/switched (on|off) by/).count()).toBe(0);
});

test('a switch that is on its way is not shown as it was before, whatever changes meanwhile', async () => {
  await makeFlag('pressed');
  await makeFlag('beside');
  const page = await tested.open('/features', { as: ann });
  await showsSwitch(page, 'pressed', 'development', false);
  await flip('beside', 'on');
  await showsSwitch(page, 'beside', 'development', true);
  const sending = Promise.withResolvers<void>();
  await page.route('**/pressed/environments/**', async (route) => {
    await sending.promise;
    await route.continue();
  });
  const control = page.getByRole('switch', { name: 'pressed in development' });
  const shown = await control.evaluateHandle((element) => {
    const states: (string | null)[] = [];
    const observer = new MutationObserver(() => states.push(element.getAttribute('aria-checked')));
    observer.observe(element, { attributeFilter: ['aria-checked'] });
    return states;
  });
  await control.click();
  await expect.poll(() => shown.jsonValue()).toEqual(['true']);
  const reads = countReads(page);
  await flip('beside', 'off');
  await tested.system.processAll();
  await page.getByText('off by').waitFor();
  sending.resolve();
  await showsSwitch(page, 'beside', 'development', false);
  expect(await shown.jsonValue()).toEqual(['true']);
  expect(reads()).toBeGreaterThan(0);
});
