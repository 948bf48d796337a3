// More of the strategies and settings of a flag: refusals, weights, missing answers, permissions, themes and phones.
import { addPerson, administer } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { apply, features, rolloutOf, setUpFlags } from '../testing/strategy-steps.ts';

const tested = setUpConsole();
const flags = setUpFlags(tested);

test('what is refused is said at its field, before it is sent', async () => {
  const page = await flags.open();
  await page.getByRole('button', { name: 'Add a strategy' }).first().click();
  await rolloutOf(page).fill('140');
  await page.getByRole('button', { name: 'Add a constraint' }).click();
  await page.getByLabel('Operator').selectOption('SEMVER_GT');
  await page.getByRole('button', { name: 'Review and add' }).click();
  await page.getByText('It should be a version such as 1.2.3 (semver 2.0.0).').first().waitFor();
  expect(await page.locator('[aria-invalid="true"]').count()).toBe(2);
  expect(await rolloutOf(page).evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
});

test('the weights of variants are 1000 at any time', async () => {
  await flags.add('Half', '50');
  const page = await flags.openEditor('Half');
  for (const name of ['blue', 'green', 'red']) {
    await page.getByRole('button', { name: 'Add a variant' }).click();
    await page.getByRole('textbox', { name: 'Name' }).last().fill(name);
  }
  await page.getByRole('spinbutton', { name: 'Share' }).first().fill('50');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByText('The variant green is added, with 25 %.').waitFor();
  await apply(page, 'Changed the strategy “Half”');
  const [{ variants }] = await flags.strategiesIn('development');
  expect(variants.map(({ name, weight }: { name: string; weight: number }) => [name, weight])).toEqual([
    ['blue', 500],
    ['green', 250],
    ['red', 250],
  ]);
});

test('without an answer the outcome is unknown, and the change is not sent again', async () => {
  await flags.add('Mine', '10');
  const page = await flags.openEditor('Mine');
  const sent: string[] = [];
  tested.allow(/net::ERR_FAILED|PATCH/);
  await page.route('**/strategies/*', (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    sent.push(route.request().url());
    return route.abort();
  });
  await rolloutOf(page).fill('40');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('the change is not in effect so far').waitFor();
  expect(sent).toHaveLength(1);
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();
  expect(await rolloutOf(page).inputValue()).toBe('40');
});

test('offline nothing is sent, and what was typed can be sent later', async () => {
  await flags.add('Mine', '10');
  const page = await flags.openEditor('Mine');
  tested.allow(/ERR_INTERNET_DISCONNECTED/);
  await rolloutOf(page).fill('40');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page
    .getByText(/sample users/)
    .first()
    .waitFor();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Did not change the strategy').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(/^Changed the strategy/).waitFor();
  expect(await flags.strategiesIn('development')).toMatchObject([{ parameters: { rollout: '40' } }]);
});

test('settings, tags, stale and archive are reviewed and saved', async () => {
  const page = await flags.open();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Description').fill('For all');
  await page.getByLabel('Type').selectOption('experiment');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByText('The description: none → “For all”.').waitFor();
  await apply(page, 'Changed the description and type');
  await page.getByRole('button', { name: 'Add a tag' }).click();
  await page.getByLabel('Value').fill('payments');
  await page.getByRole('button', { name: 'Review and add' }).click();
  await apply(page, 'Added the tag simple:payments');
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('Mark as stale');
  await apply(page, `Marked ${flags.flag()} as stale`);
  expect(await administer(tested.system, 'GET', `${features}/${flags.flag()}`)).toMatchObject({
    ...{ description: 'For all', type: 'experiment', stale: true },
    tags: [{ type: 'simple', value: 'payments' }],
  });
  await choose('Mark as completed: discarded');
  await apply(page, `Marked ${flags.flag()} as completed: its feature is discarded`);
  const stage = async () => (await administer(tested.system, 'GET', `${features}/${flags.flag()}`)).lifecycle;
  expect(await stage()).toMatchObject({ stage: 'completed', status: 'discarded' });
  await page.getByText('completed, discarded').waitFor();
  await choose('Mark as live again');
  await apply(page, `Marked ${flags.flag()} as live again`);
  expect(await stage()).toMatchObject({ stage: 'live' });
  // An archived flag is found by searches only.
  tested.allow(/404/);
  await choose('Archive');
  await apply(page, `Archived ${flags.flag()}`);
  await page.getByRole('button', { name: 'Revive' }).click();
  await apply(page, `Revived ${flags.flag()}`);
  await page.getByRole('switch', { name: `${flags.flag()} in development`, checked: false }).waitFor();
});

test('controls without the permission are off and name it', async () => {
  await flags.add('First', '10');
  const viewer = await addPerson(tested.system, rootRoles.viewer);
  const page = await tested.open(flags.path(), { as: viewer });
  await page
    .getByRole('button', { name: /Add a strategy.*CREATE_FEATURE_STRATEGY/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: /Edit.*UPDATE_FEATURE/ }).waitFor();
  await page.getByRole('button', { name: 'What to do with “First”' }).click();
  await page.getByRole('menuitem', { name: /Delete.*DELETE_FEATURE_STRATEGY/ }).click({ force: true });
  await page.getByRole('menuitem', { name: /Disable.*UPDATE_FEATURE_STRATEGY/ }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('what was typed is not left without a question', async () => {
  await flags.add('First', '10');
  const page = await flags.openEditor('First');
  await page.getByLabel('Title').fill('Typed');
  await page.getByRole('link', { name: flags.flag() }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByLabel('Title').inputValue()).toBe('Typed');
});

test.each(['light', 'dark'] as const)('%s: no barrier in the editor, which fits a phone', async (theme) => {
  await administer(tested.system, 'POST', flags.strategies('development'), {
    ...{ name: 'flexibleRollout', title: 'Whole', parameters: { rollout: '30' } },
    constraints: [{ contextName: 'userId', operator: 'IN', values: Array.from({ length: 1000 }, (_, id) => `u${id}`) }],
    variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
  });
  const [{ id }] = await flags.strategiesIn('development');
  const page = await tested.open(`${flags.path()}/environments/development/strategies/${id}`, {
    ...{ as: flags.editor(), size: 'phone', theme },
  });
  await page.getByText('And 900 more.').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});
