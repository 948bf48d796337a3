// Undo of a switch: what was before is there again, and nothing of somebody else is lost.
import { administer } from '@yardarm/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { setUpConsole } from '../testing/set-up-console.ts';
import { isOn, showsSwitch } from '../testing/steps.ts';
import { features, setUpFlags } from '../testing/strategy-steps.ts';

const tested = setUpConsole();
const flags = setUpFlags(tested);

/** Switches the flag on in development, in the list. */
async function switchOn(): Promise<Page> {
  const page = await tested.open(`/features?q=${flags.flag()}`, { as: flags.editor() });
  await page.getByRole('switch', { name: `${flags.flag()} in development` }).click();
  await page.getByText(`Switched ${flags.flag()} on in development.`).waitFor();
  return page;
}

async function undo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(`Switched ${flags.flag()} off in development.`).waitFor();
}

const rename = (id: string) =>
  administer(tested.system, 'PATCH', flags.strategies('development', `/${id}`), [
    { op: 'replace', path: '/title', value: 'Theirs' },
  ]);

/** Does something once, before the deletion of a strategy reaches the server. */
async function beforeDeletion(page: Page, act: () => Promise<unknown>): Promise<void> {
  tested.allow(/^412 DELETE /);
  let isDone = false;
  await page.route('**/strategies/*', async (route) => {
    if (route.request().method() === 'DELETE' && !isDone) {
      isDone = true;
      await act();
    }
    return route.continue();
  });
}

const isOff = async () => expect(await isOn(tested.system, flags.flag(), 'development')).toBe(false);

test('removes the strategy that switching on had added', async () => {
  const page = await switchOn();
  expect(await flags.strategiesIn('development')).toHaveLength(1);
  await undo(page);
  await page.getByText(`Deleted the strategy “everybody” of ${flags.flag()} in development.`).waitFor();
  expect(await flags.strategiesIn('development')).toEqual([]);
  await isOff();
  await showsSwitch(page, flags.flag(), 'development', false);
});

test('leaves the strategies that were there before', async () => {
  const { id } = await flags.add('First', '10');
  const page = await switchOn();
  await undo(page);
  await isOff();
  await page.waitForLoadState('networkidle');
  expect(await flags.strategiesIn('development')).toMatchObject([{ id }]);
  expect(await page.getByText(/the strategy/).count()).toBe(0);
});

test('leaves a strategy that somebody else has changed since', async () => {
  const page = await switchOn();
  const [{ id }] = await flags.strategiesIn('development');
  await rename(id);
  await undo(page);
  await page
    .getByText(/^Did not delete the strategy/)
    .first()
    .waitFor();
  await page.getByText('Somebody else has changed it meanwhile.').first().waitFor();
  await isOff();
  expect(await flags.strategiesIn('development')).toMatchObject([{ id, title: 'Theirs' }]);
});

test('leaves a strategy that somebody else changes while it is on its way', async () => {
  const page = await switchOn();
  const [{ id }] = await flags.strategiesIn('development');
  await beforeDeletion(page, () => rename(id));
  await undo(page);
  await page
    .getByText(/^Did not delete the strategy/)
    .first()
    .waitFor();
  expect(await flags.strategiesIn('development')).toMatchObject([{ id, title: 'Theirs' }]);
});

test('removes it after somebody else has changed something else of the flag', async () => {
  const page = await switchOn();
  const flag = `${features}/${flags.flag()}`;
  await beforeDeletion(page, () =>
    administer(tested.system, 'PATCH', flag, [{ op: 'replace', path: '/description', value: 'Theirs' }]),
  );
  await undo(page);
  await page.getByText(/^Deleted the strategy/).waitFor();
  expect(await flags.strategiesIn('development')).toEqual([]);
  expect(await administer(tested.system, 'GET', flag)).toMatchObject({ description: 'Theirs' });
});
