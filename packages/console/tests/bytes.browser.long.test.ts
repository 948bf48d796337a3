// What a browser loads: the first screen, and what each other screen adds to it. Both are in gzip, without a cache.
import { addPerson, type TestPerson } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let admin: TestPerson;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
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
  const others = ['/projects', '/playground', '/events', '/integrations', '/integrations/new/webhook', '/signals'];
  for (const path of [...others, '/segments', '/welcome', '/admin']) {
    const added = (await filesOf(path)).filter(({ name }) => !known.has(name));
    expect(sum(added), path).toBeLessThanOrEqual(60_000);
  }
});
