// A page of one build, and a server that has another one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { type Balancer, buildWithOtherNames, startBalancer } from '../testing/two-builds.ts';

const tested = setUpConsole();
let folder: string;
let otherUrl: string;
let balancer: Balancer;
let ann: TestPerson;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'yardarm-builds-'));
  await buildWithOtherNames(inject('consoleDir'), path.join(folder, 'other'));
  otherUrl = await tested.system.addGateway({}, { CONSOLE_DIR: path.join(folder, 'other') });
  balancer = await startBalancer([tested.system.url]);
  ann = await addPerson(tested.system, rootRoles.editor);
});
afterAll(async () => {
  await balancer?.stop();
  await rm(folder, { recursive: true });
});

/** Opens the address of the balancer, and counts how often the page is loaded. */
async function openBalanced(targets: string[]): Promise<{ page: Page; loads: () => number }> {
  balancer.targets = targets;
  const page = await tested.open('/docs', { as: ann });
  tested.allow(/^(404 GET \/assets\/|error: |request: |uncaught: |blocked: )/);
  let count = 0;
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame() && !page.url().includes('#')) count += 1;
  });
  await page.goto(`${balancer.url}/features`, { waitUntil: 'commit' });
  return { page, loads: () => count };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

/** In the browser: marks the page, to see whether it is another one later. */
const mark = (page: Page) => page.evaluate('globalThis.isMarked = true');
const isMarked = (page: Page) => page.evaluate('globalThis.isMarked === true');

test('a page whose files a new build has replaced is loaded again once, and shows what was asked for', async () => {
  const { page } = await openBalanced([tested.system.url]);
  await heading(page, 'Flags').waitFor();
  await mark(page);
  balancer.targets = [otherUrl];
  await page.getByRole('link', { name: 'Projects' }).click();
  await heading(page, 'Projects').waitFor();
  expect(await isMarked(page)).toBe(false);
  expect(new URL(page.url()).pathname).toBe('/projects');
});

test('a file that no build has is not asked for in a loop: the page says so, and goes on when it is there', async () => {
  const { page } = await openBalanced([tested.system.url]);
  await heading(page, 'Flags').waitFor();
  const isPart = /assets\/projects-page-[^/]+\.js$/;
  let asked = 0;
  await page.route(isPart, (route) => {
    asked += 1;
    return route.fulfill({ status: 404, json: {} });
  });
  await page.getByRole('link', { name: 'Projects' }).click();
  await page.getByText('This page could not be loaded.').waitFor();
  await page.getByRole('link', { name: 'Flags' }).waitFor();
  // By the pointer over the link and by the press; after the reload with the session, and for the page.
  expect(asked).toBeLessThanOrEqual(5);
  await page.unroute(isPart);
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page, 'Projects').waitFor();
});

test('a part that is missing because there is no network does not cost the page', async () => {
  const { page } = await openBalanced([tested.system.url]);
  await heading(page, 'Flags').waitFor();
  await mark(page);
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Projects' }).click();
  await page.getByText('This page could not be loaded.').waitFor();
  expect(await isMarked(page)).toBe(true);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page, 'Projects').waitFor();
  expect(await isMarked(page)).toBe(true);
});

/** Opens the form of a flag. The files of the review are gone once `removeReview` is called. */
async function openForm(name: string) {
  await administer(tested.system, 'POST', '/api/admin/projects/default/features', { name });
  const page = await tested.open(`/projects/default/features/${name}`, { as: ann });
  tested.allow(/^(404 GET \/assets\/|error: )/);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  return {
    page,
    description: page.getByLabel('Description'),
    review: page.getByRole('button', { name: 'Review and save' }),
    dialog: page.getByRole('dialog', { name: `Change ${name}` }),
    removeReview: () => page.route(isReview, (route) => route.fulfill({ status: 404, json: {} })),
  };
}

const isReview = /assets\/review-[^/]+\.js$/;

test('a form that lacks the files of its review keeps what was typed, and says so', async () => {
  const { page, description, review, dialog, removeReview } = await openForm('without-review');
  await removeReview();
  await description.fill('Typed');
  await review.click();
  await page.getByText('This part of the console could not be loaded.').first().waitFor();
  expect(await description.inputValue()).toBe('Typed');
  await page.unroute(isReview);
  await review.click();
  await dialog.waitFor();
});

test('a form that is being filled in can be saved after a new build has replaced the files', async () => {
  const { page, description, review, dialog, removeReview } = await openForm('with-review');
  const loaded = page.waitForEvent('requestfinished', (request) => isReview.test(request.url()));
  await description.fill('Typed');
  await description.blur();
  await loaded;
  await removeReview();
  await review.click();
  await dialog.waitFor();
});

test('a missing file of the account menu does not cost the page', async () => {
  const { page, description } = await openForm('without-menu');
  await page.route(/assets\/account-menu-[^/]+\.js$/, (route) => route.fulfill({ status: 404, json: {} }));
  await description.fill('Typed');
  await page.getByRole('button', { name: 'Account of' }).click();
  await page.getByText('This part of the console could not be loaded.').first().waitFor();
  expect(await description.inputValue()).toBe('Typed');
});

test('two builds behind one address give no blank page', async () => {
  const { page } = await openBalanced([tested.system.url, otherUrl]);
  const reload = page.getByRole('link', { name: 'Load it again' });
  await heading(page, 'Flags').or(reload).waitFor();
  balancer.targets = [otherUrl];
  if (await reload.isVisible()) await reload.click();
  else await page.reload();
  await heading(page, 'Flags').waitFor();
});

test('a page whose first files are gone for good says so, and does not load itself again for ever', async () => {
  const { page, loads } = await openBalanced([tested.system.url]);
  await heading(page, 'Flags').waitFor();
  const isStart = /assets\/index-[^/]+\.js$/;
  await page.route(isStart, (route) => route.fulfill({ status: 404, json: {} }));
  const before = loads();
  await page.reload();
  await page.getByRole('link', { name: 'Load it again' }).waitFor();
  expect(loads() - before).toBeLessThanOrEqual(6);
  await page.unroute(isStart);
  await page.getByRole('link', { name: 'Load it again' }).click();
  await heading(page, 'Flags').waitFor();
});
