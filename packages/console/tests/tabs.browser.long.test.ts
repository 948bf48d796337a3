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
  const noted = noteStreams(first.context());
  // The first tab may open its stream only now.
  const streamsOfOthers = () => noted.filter((stream) => stream.frame().page() !== first);
  const others: Page[] = [];
  for (let number = 2; number <= 8; number++) others.push(await tested.openBeside(first, path));
  await Promise.all(others.map((tab) => showsSwitch(tab, 'watched', 'development', false)));
  expect(streamsOfOthers()).toEqual([]);
  await administer(system, 'POST', `${features}/watched/environments/development/on`);
  await Promise.all([first, ...others].map((tab) => showsSwitch(tab, 'watched', 'development', true)));
  expect(streamsOfOthers()).toEqual([]);

  await first.close();
  await expect.poll(streamsOfOthers).toHaveLength(1);
  const opened = await streamsOfOthers()[0]!.response();
  expect(opened?.status()).toBe(200);
  await administer(system, 'POST', `${features}/watched/environments/development/off`);
  await Promise.all(others.map((tab) => showsSwitch(tab, 'watched', 'development', false)));
  expect(streamsOfOthers()).toHaveLength(1);
});
