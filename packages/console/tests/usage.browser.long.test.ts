// How often SDKs evaluated a flag, in the console: in words, as a chart and as a table.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
const path = '/projects/default/features/counted/usage';
let viewer: TestPerson;

async function report(appName: string, token: string, yes: number, no: number) {
  const stop = new Date();
  const bucket = { start: new Date(stop.getTime() - 1000), stop, toggles: { counted: { yes, no, variants: {} } } };
  const body = { appName, instanceId: 'one', bucket };
  const { status } = await tested.system.call('POST', '/api/client/metrics', { token, body });
  expect(status).toBe(202);
}

beforeAll(async () => {
  const { system } = tested;
  viewer = await addPerson(system, rootRoles.viewer);
  await administer(system, 'POST', '/api/admin/projects/default/features', { name: 'counted' });
  await report('shop', system.clientTokens.production, 1200, 30);
  await report('mail', system.clientTokens.production, 7, 0);
  await report('shop', system.clientTokens.development, 3, 4);
  await system.processAll();
});

const rowsOf = async (page: Page, environment: string) => {
  await page.getByText(`The numbers of the chart in ${environment} as a table`).press('Enter');
  return page.getByRole('region', { name: environment }).getByRole('cell').allTextContents();
};

test('the usage of each environment is there in words, as a chart, and as a table', async () => {
  const page = await tested.open('/projects/default/features/counted', { as: viewer });
  await page.getByRole('navigation', { name: 'Flag' }).getByRole('link', { name: 'Usage' }).press('Enter');
  const production = page.getByRole('region', { name: 'production' });
  await production.getByText('1,207 times on and 30 times off.').waitFor();
  await production.locator('canvas').waitFor();
  expect(await rowsOf(page, 'production')).toEqual(['1,207', '30']);
  expect(await rowsOf(page, 'development')).toEqual(['3', '4']);
  expect(await findBarriers(page)).toEqual([]);

  await page.getByLabel('Application').selectOption('mail');
  await production.getByText('7 times on and 0 times off.').waitFor();
  expect(await page.getByRole('region', { name: 'development' }).count()).toBe(0);
  await page.getByLabel('Time').selectOption('Last week, by the day');
  await production.getByText(/Most in the day \(UTC\) of/).waitFor();
  expect(new URL(page.url()).search).toBe('?hours=168&application=mail');
});

test('the chart has the colours of the theme, also when it changes, and the width of the page', async () => {
  const page = await tested.open(path, { as: viewer });
  const canvas = page.getByRole('region', { name: 'production' }).locator('canvas');
  const picture = (): Promise<string> => page.evaluate(`document.querySelector('canvas').toDataURL()`);
  await canvas.waitFor();
  await page.evaluate('document.fonts.ready');
  const light = await picture();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(picture).not.toBe(light);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(picture).toBe(light);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(async () => (await canvas.boundingBox())!.width).toBeLessThan(390);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

test('a flag that no SDK has evaluated says so', async () => {
  await administer(tested.system, 'POST', '/api/admin/projects/default/features', { name: 'unused' });
  // The address of the metrics of a flag in the public product.
  const page = await tested.open('/projects/default/features/unused/metrics', { as: viewer });
  await page.getByText('No SDK has evaluated it in this time').waitFor();
});
