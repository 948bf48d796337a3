// What others change is seen in an open page, by one event stream per browser.
import { addPerson, administer } from '@yardarm/testing';
import { expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { noteNextStreams, showsSwitch } from '../testing/steps.ts';

const tested = setUpConsole();
const features = '/api/admin/projects/default/features';

test('a switch by the API is seen in every tab of a browser, which has one stream', async () => {
  const { system } = tested;
  await administer(system, 'POST', features, { name: 'watched' });
  const editor = await addPerson(system, rootRoles.editor);
  const page = await tested.open('/projects', { as: editor });
  const streams = await noteNextStreams(page);
  await page.goto(`${system.url}/features`);
  await expect.poll(() => streams).toHaveLength(1);
  const beside = await tested.openBeside(page, '/projects/default/features/watched');
  await Promise.all([page, beside].map((tab) => showsSwitch(tab, 'watched', 'development', false)));
  for (const [verb, checked] of [
    ['on', true],
    ['off', false],
  ] as const) {
    await administer(system, 'POST', `${features}/watched/environments/development/${verb}`);
    const answeredAt = performance.now();
    await Promise.all([page, beside].map((tab) => showsSwitch(tab, 'watched', 'development', checked)));
    console.log(
      `Switched ${verb} by the API: seen in two tabs ${Math.round(performance.now() - answeredAt)} ms later.`,
    );
  }
  await Promise.all([page, beside].map((tab) => tab.getByText('switched off by').first().waitFor()));
  expect(streams).toHaveLength(1);
});
