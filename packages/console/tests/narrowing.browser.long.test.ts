// Filters of lists and the history of the browser: Back undoes the last choice, and typing is no step of it.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let viewer: TestPerson;

beforeAll(async () => {
  viewer = await addPerson(tested.system, rootRoles.viewer);
  const features = '/api/admin/projects/default/features';
  for (let number = 1; number <= 40; number++) {
    const type = number <= 20 ? 'experiment' : 'release';
    await administer(tested.system, 'POST', features, { name: `listed-${number}`, type });
  }
}, 120_000);

const searchOf = (page: Page) => new URL(page.url()).search;
const hasAddress = (page: Page, search: string) => expect.poll(() => searchOf(page)).toBe(search);

test('Back undoes the last choice of a filter, and then leaves the list', async () => {
  const page = await tested.open('/playground', { as: viewer });
  await page.getByRole('link', { name: 'Flags', exact: true }).click();
  await page.getByText('40 flags').waitFor();
  await page.getByLabel('Type', { exact: true }).selectOption('experiment');
  await page.getByText('20 flags').waitFor();
  await page.getByLabel('State').selectOption('stale');
  await page.getByText('No flag matches').waitFor();
  await page.goBack();
  await page.getByText('20 flags').waitFor();
  expect(await page.getByLabel('State').inputValue()).toBe('');
  await page.goBack();
  await page.getByText('40 flags').waitFor();
  expect(await page.getByLabel('Type', { exact: true }).inputValue()).toBe('');
  await page.goForward();
  await page.getByText('20 flags').waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor();
});

test('typed words are no step: Back undoes the choice before them and takes them away', async () => {
  const page = await tested.open('/features', { as: viewer });
  await page.getByLabel('Type', { exact: true }).selectOption('experiment');
  const words = page.getByRole('searchbox', { name: 'Search' });
  for (const typed of ['l', 'listed', 'listed-7']) {
    await words.fill(typed);
    await expect.poll(() => searchOf(page)).toContain(`q=${typed}`);
  }
  await page.getByText('One flag').waitFor();
  await page.goBack();
  await page.getByText('40 flags').waitFor();
  expect(await words.inputValue()).toBe('');
  await hasAddress(page, '');
});

test('Back returns to where the list was scrolled to', async () => {
  const page = await tested.open('/projects/default', { as: viewer });
  await page.getByText('40 flags').waitFor();
  const top = () => page.evaluate('Math.round(scrollY)');
  await page.mouse.move(600, 600);
  await page.mouse.wheel(0, 900);
  await expect.poll(top).toBe(900);
  // A filter that is out of sight is chosen without scrolling to it, as a saved view by Ctrl-K is.
  await page.getByLabel('Type', { exact: true }).evaluate((select) => {
    const { value } = select as unknown as { value: string };
    if (value !== '') throw new Error(value);
    const prototype = Object.getPrototypeOf(select);
    Object.getOwnPropertyDescriptor(prototype, 'value')!.set!.call(select, 'release');
    select.dispatchEvent(
      new (select.ownerDocument.defaultView as never as { Event: typeof Event }).Event('change', { bubbles: true }),
    );
  });
  await page.getByText('20 flags').waitFor();
  await page.goBack();
  await page.getByText('40 flags').waitFor();
  await expect.poll(top).toBe(900);
});

test('the event log, signals, tokens and staleness keep choices apart from words too', async () => {
  const admin = await addPerson(tested.system, rootRoles.admin);
  const lists = [
    ['/events', 'Type', 'feature-created'],
    ['/signals', 'Action sets', 'no'],
    ['/admin/api', 'Type', 'client'],
    ['/staleness', 'State', 'stale'],
  ] as const;
  const page = await tested.open('/playground', { as: admin });
  for (const [path, label, choice] of lists) {
    await page.goto(tested.system.url + path);
    const select = page.getByLabel(label, { exact: true });
    await select.selectOption(choice);
    await expect.poll(() => searchOf(page)).toContain(choice);
    await page.goBack();
    await hasAddress(page, '');
    expect(await select.inputValue()).toBe('');
    expect(new URL(page.url()).pathname).toBe(path);
  }
});

test('a saved view and Ctrl-K are steps of their own, and a choice after them is the next one', async () => {
  const { cookie } = viewer;
  const body = { name: 'Experiments', query: 'type=experiment' };
  const { status } = await tested.system.call('POST', '/api/admin/user/views', {
    token: null,
    headers: { cookie },
    body,
  });
  expect(status).toBe(201);
  const page = await tested.open('/features', { as: viewer });
  await page.getByText('40 flags').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Experiments');
  await page.getByRole('option', { name: /^Experiments saved view/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('20 flags').waitFor();
  await page.getByLabel('State').selectOption('stale');
  await page.getByText('changed', { exact: true }).waitFor();
  await page.goBack();
  await page.getByText('20 flags').waitFor();
  await page.getByText('changed', { exact: true }).waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByText('40 flags').waitFor();
});
