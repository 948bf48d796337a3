// Eight tabs of one browser: HTTP/1.1 has six connections for all of them.
import { addPerson, administer } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { noteStreams, showsSwitch } from '../testing/steps.ts';

const tested = setUpConsole();
const features = '/api/admin/projects/default/features';

test('eight tabs have one stream, and another tab opens one when its holder is closed', async () => {
  const { system } = tested;
  await administer(system, 'POST', features, { name: 'watched' });
  const editor = await addPerson(system, rootRoles.editor);
  const path = '/projects/default/features/watched';
  const first = await tested.open(path, { as: editor });
  await showsSwitch(first, 'watched', 'development', false);
  const streams = noteStreams(first.context());
  const others: Page[] = [];
  for (let number = 2; number <= 8; number++) others.push(await tested.openBeside(first, path));
  await Promise.all(others.map((tab) => showsSwitch(tab, 'watched', 'development', false)));
  expect(streams).toEqual([]);
  await administer(system, 'POST', `${features}/watched/environments/development/on`);
  await Promise.all([first, ...others].map((tab) => showsSwitch(tab, 'watched', 'development', true)));
  expect(streams).toEqual([]);

  await first.close();
  await expect.poll(() => streams.length).toBe(1);
  const opened = await streams[0]!.response();
  expect(opened?.status()).toBe(200);
  await administer(system, 'POST', `${features}/watched/environments/development/off`);
  await Promise.all(others.map((tab) => showsSwitch(tab, 'watched', 'development', false)));
  expect(streams).toHaveLength(1);
});
