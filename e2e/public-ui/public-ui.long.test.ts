// The admin UI of unleash-server, unchanged, in a browser and in front of the gateway.
import { addPerson, startReceiver, type TestReceiver, type TestSystem } from '@yardarm/testing';
import { launchChromium } from '@yardarm/testing/browser';
import { startSystem } from '@yardarm/testing/system';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browsing, openUi } from './browsing.ts';
import { type Content, makeContent } from './content.ts';
import { knownPages } from './known-pages.ts';
import { type ServedUi, serveUi } from './served-ui.ts';

const adminRole = 1;

/** The pages that are not visited, with the reason. */
const leftOut: [page: RegExp, reason: string][] = [
  [/^\/admin\/logins$/, 'sign-on: there is no history of logins yet'],
  [/^\/admin\/sessions$/, 'sign-on: sessions are not listed yet'],
  [/^\/admin\/users\/inactive$/, 'sign-on: inactive users are not listed yet'],
  [/^\/admin\/(impact-metrics|users\/\d+)$/, 'the UI links to it and has no such page'],
  [/\/flag-archived$/, 'an archived flag is 404, as in the public product, and the UI says that it is archived'],
  [/^\/(api|docs|logout)/, 'the gateway answers it'],
];

/** Some pages link relative to their own address, so that addresses grow without end. */
const maxDepth = 7;

let system: TestSystem;
let receiver: TestReceiver;
let content: Content;
let ui: ServedUi;
let browser: Browser;
let browsing: Browsing;

const flags = '/api/admin/projects/default/features';

// Chromium takes seconds of CPU for a page on a machine under load.
describe('in a browser', { timeout: 480_000 }, () => {
  beforeAll(async () => {
    [system, receiver] = await Promise.all([startSystem(), startReceiver()]);
    content = await makeContent(system, receiver);
    ui = await serveUi(system.url);
    browser = await launchChromium();
    browsing = await openUi(browser, ui.url, await addPerson(system, adminRole));
    // A browser that is not there is installed first.
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await ui?.stop();
    await receiver?.close();
    await system?.stop();
  });

  test('no page of the UI has a call without an answer, an error, or data that is missing', async () => {
    const pages = knownPages(content);
    const seen = new Set(pages.map(withoutQuery));
    for (const path of pages) {
      for (const link of await browsing.visit(path)) {
        const address = withoutQuery(link);
        if (seen.has(address) || isLeftOut(address)) continue;
        seen.add(address);
        pages.push(link);
      }
    }
    expect(browsing.faults).toEqual([]);
    // The UI was there, and showed what there is.
    expect(pages).toEqual(expect.arrayContaining(['/projects/harbour', '/admin/instance', '/integrations/edit/1']));
    expect(pages.length).toBeGreaterThan(120);
  });

  test('a flag gets a strategy, is switched, archived and revived by clicks', async () => {
    const { page, loaded } = browsing;
    const flag = `${flags}/flag-operational`;
    const read = async () => (await system.call('GET', flag)).body;
    const development = async () =>
      (await read()).environments.find(({ name }: { name: string }) => name === 'development');
    const inUi = '/projects/default/features/flag-operational';

    await browsing.visit(`${inUi}/strategies/create?environmentId=development&strategyName=flexibleRollout`);
    await page.getByTestId('STRATEGY_FORM_SUBMIT_ID').click();
    await page.waitForURL(`**${inUi}`);
    await loaded();
    expect((await development()).strategies).toMatchObject([{ name: 'flexibleRollout' }]);

    const enabled = (await development()).enabled;
    await page.getByRole('switch', { name: 'development' }).click();
    await expect.poll(async () => (await development()).enabled).toBe(!enabled);

    await page.getByRole('button', { name: 'Feature flag actions' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.getByTestId('DIALOGUE_CONFIRM_ID').click();
    // The UI goes to the project by itself. Until then it may read the flag once more.
    await page.waitForURL(/\/projects\/default(\?|$)/);
    await loaded();
    const others = browsing.faults.filter((fault) => !fault.includes(`404 for GET ${flag}?`));
    browsing.faults.splice(0, browsing.faults.length, ...others);
    expect((await system.call('GET', flag)).status).toBe(404);

    await browsing.visit('/archive');
    await page.getByRole('row', { name: 'flag-operational' }).getByRole('button', { name: 'Revive' }).click();
    await page.getByTestId('DIALOGUE_CONFIRM_ID').click();
    await expect.poll(async () => (await system.call('GET', flag)).status).toBe(200);
    await loaded();
    expect(browsing.faults).toEqual([]);
  });

  test('the playground evaluates, a token is made, and flags are exported', async () => {
    const { page, loaded } = browsing;
    await browsing.visit('/playground');
    await page.getByRole('button', { name: 'Try configuration' }).click();
    await page.getByRole('cell', { name: 'flag-release' }).first().waitFor();

    await browsing.visit('/admin/api/create-token');
    await page.getByLabel('Token name').fill('by-clicks');
    await page.getByRole('button', { name: 'Create token' }).click();
    const names = async () =>
      (await system.call('GET', '/api/admin/api-tokens')).body.tokens.map(
        (one: { tokenName: string }) => one.tokenName,
      );
    await expect.poll(names).toContain('by-clicks');

    await browsing.visit('/projects/default');
    await page.getByRole('button', { name: 'Export all project flags' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export selection' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.json$/);
    await loaded();
    expect(browsing.faults).toEqual([]);
  });
});

function isLeftOut(path: string): boolean {
  return leftOut.some(([page]) => page.test(path)) || path.split('/').length - 1 > maxDepth;
}

function withoutQuery(path: string): string {
  return path.replace(/[?#].*/, '');
}
