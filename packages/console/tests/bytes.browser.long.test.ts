// What a browser loads: the first screen, and what each other screen adds to it. Both are in gzip, without a cache.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let admin: TestPerson;

beforeAll(async () => {
  const { system } = tested;
  admin = await addPerson(system, rootRoles.admin);
  await administer(system, 'POST', '/api/admin/projects/default/features', { name: 'counted' });
  // A chart is loaded with what it shows.
  const toggles = { counted: { yes: 1, no: 0, variants: {} } };
  const bucket = { start: new Date(), stop: new Date(), toggles };
  const body = { appName: 'shop', instanceId: 'one', bucket };
  await system.call('POST', '/api/client/metrics', { token: system.clientTokens.production, body });
  await system.processAll();
});

/** The bytes of the files that a page has loaded, and their names. Chromium asks for gzip on plain HTTP. */
const loadedIn = (page: Page): Promise<{ name: string; bytes: number }[]> =>
  page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('/assets/'))
    .map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize }))`);

async function filesOf(path: string) {
  const page = await tested.open(path, { as: admin });
  await page.getByRole('heading', { level: 1 }).waitFor();
  return loadedIn(page);
}

const sum = (files: { bytes: number }[]) => files.reduce((total, { bytes }) => total + bytes, 0);

test('the first screen has at most 200 kB, and each other screen adds at most 60 kB', async () => {
  const first = await filesOf('/features');
  expect(sum(first)).toBeGreaterThan(100_000);
  expect(sum(first)).toBeLessThanOrEqual(200_000);
  const known = new Set(first.map(({ name }) => name));
  const flag = '/projects/default/features/counted';
  const others = [
    flag,
    `${flag}/history`,
    `${flag}/environments/production/variants`,
    '/projects',
    '/playground',
    '/events',
    '/integrations',
    '/integrations/new/webhook',
    '/signals',
  ];
  for (const path of [...others, '/segments', '/welcome', '/admin']) {
    const added = (await filesOf(path)).filter(({ name }) => !known.has(name));
    expect(sum(added), path).toBeLessThanOrEqual(60_000);
  }
  const page = await tested.open(`${flag}/usage`, { as: admin });
  await page.locator('canvas').waitFor();
  const withChart = (await loadedIn(page)).filter(({ name }) => !known.has(name));
  expect(sum(withChart)).toBeGreaterThan(20_000);
  expect(sum(withChart)).toBeLessThanOrEqual(60_000);
});
