// The console in Firefox: login, list, a switch, and the same switch in another tab.
import { addPerson, administer } from '@yardarm/testing';
import { launchFirefox } from '@yardarm/testing/firefox';
import { startSystem } from '@yardarm/testing/system';
import type { Page } from 'puppeteer-core';
import { expect, inject, onTestFinished, test } from 'vitest';
import { rootRoles } from '../testing/set-up-console.ts';
import { isOn } from '../testing/steps.ts';

/** Firefox starts slowly on a machine under load. */
const waitMs = 60_000;

const switchIn = (page: Page, checked: boolean) =>
  page.locator(`[role="switch"][aria-label^="seen-in-firefox in development"][aria-checked="${checked}"]`);

test('a person logs in, switches a flag, and another tab follows, without an error', async () => {
  const system = await startSystem({ CONSOLE_DIR: inject('consoleDir') });
  onTestFinished(() => system.stop());
  const ann = await addPerson(system, rootRoles.editor);
  await administer(system, 'POST', '/api/admin/projects/default/features', { name: 'seen-in-firefox' });
  const browser = await launchFirefox();
  onTestFinished(() => browser.close());
  const faults: string[] = [];
  const open = async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(waitMs);
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`${system.url}/features`);
    return page;
  };

  const page = await open();
  await page.locator('input[name="username"], input[autocomplete="username"]').fill(ann.username);
  await page.locator('input[type="password"]').fill(ann.password);
  await page.locator('button[type="submit"]').click();
  await switchIn(page, false).wait();
  const beside = await open();
  await switchIn(beside, false).wait();

  await switchIn(page, false).click();
  await switchIn(page, true).wait();
  await switchIn(beside, true).wait();
  expect(await isOn(system, 'seen-in-firefox', 'development')).toBe(true);
  expect(faults).toEqual([]);
}, 240_000);
