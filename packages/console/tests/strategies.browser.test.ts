// Strategies of a flag in the console: added, edited, ordered, copied, deleted; and what others change meanwhile.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
const features = '/api/admin/projects/default/features';
let editor: TestPerson;
let count = 0;
/** The flag of the test. */
let flag: string;

const path = () => `/projects/default/features/${flag}`;
const api = (environment: string, rest = '') => `${features}/${flag}/environments/${environment}/strategies${rest}`;
const strategiesIn = (environment: string) => administer(tested.system, 'GET', api(environment));
const addByApi = (title: string, rollout: string) =>
  administer(tested.system, 'POST', api('development'), { name: 'flexibleRollout', title, parameters: { rollout } });
const openEditor = async (title: string) => {
  const page = await tested.open(path(), { as: editor });
  await page.getByRole('link', { name: title, exact: true }).click();
  await page.getByRole('heading', { name: 'Edit a strategy in development' }).waitFor();
  return page;
};
const rolloutOf = (page: Page) => page.getByRole('spinbutton', { name: 'Rollout' });
const apply = async (page: Page, sentence: string) => {
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await page.getByText(`Done: this ${sentence}`).waitFor();
};

beforeAll(async () => {
  editor = await addPerson(tested.system, rootRoles.editor);
});

beforeEach(async () => {
  count += 1;
  flag = `strategies-${count}`;
  await administer(tested.system, 'POST', features, { name: flag });
});

test('a strategy with constraints is added, after the review said for whom', async () => {
  const page = await tested.open(path(), { as: editor });
  await page.getByRole('button', { name: 'Add a strategy' }).first().click();
  await rolloutOf(page).fill('25');
  await page.getByRole('button', { name: 'Add a constraint' }).click();
  await page.getByLabel('Field').selectOption('userId');
  await page.getByLabel('Add values').fill('7, 8\n9, 7');
  await page.getByLabel('Add values').press('Enter');
  await page.getByText('3 values added, 1 dropped as duplicates.').waitFor();
  await page.getByRole('button', { name: 'Review and add' }).click();
  await page.getByText('adds the strategy “25 % where userId is 7 or 8 or 9”').waitFor();
  await page
    .getByText(/sample users/)
    .first()
    .waitFor();
  await page.getByText('And for one context').click();
  await page.getByRole('combobox', { name: 'userId' }).fill('1');
  await page.getByText('The flag is off there').waitFor();
  await page.getByText('it is not true that userId is 7 or 8 or 9').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await apply(page, 'adds the strategy');
  expect(await strategiesIn('development')).toMatchObject([
    { parameters: { rollout: '25', groupId: flag }, constraints: [{ contextName: 'userId', values: ['7', '8', '9'] }] },
  ]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('deletes the strategy').waitFor();
  expect(await strategiesIn('development')).toEqual([]);
});

test('what is refused is said at its field, before it is sent', async () => {
  const page = await tested.open(path(), { as: editor });
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
  await addByApi('Half', '50');
  const page = await openEditor('Half');
  for (const name of ['blue', 'green', 'red']) {
    await page.getByRole('button', { name: 'Add a variant' }).click();
    await page.getByRole('textbox', { name: 'Name' }).last().fill(name);
  }
  await page.getByRole('spinbutton', { name: 'Share' }).first().fill('50');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByText('The variant green is added, with 25 %.').waitFor();
  await apply(page, 'changes the strategy “Half”');
  const [{ variants }] = await strategiesIn('development');
  expect(variants.map(({ name, weight }: { name: string; weight: number }) => [name, weight])).toEqual([
    ['blue', 500],
    ['green', 250],
    ['red', 250],
  ]);
});

test('a change by somebody else is said in the editor, and overwritten only on request', async () => {
  const { id } = await addByApi('Mine', '10');
  const page = await openEditor('Mine');
  await rolloutOf(page).fill('40');
  await administer(tested.system, 'PATCH', api('development', `/${id}`), [
    { op: 'replace', path: '/title', value: 'Theirs' },
  ]);
  await page.getByText(/Changed by .* while you were here/).waitFor();
  expect(await rolloutOf(page).inputValue()).toBe('40');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  const dialog = page.getByRole('dialog', { name: 'Somebody else changed this' });
  await dialog.getByText('The title: “Mine” → “Theirs”.').waitFor();
  await dialog.getByText('The rollout: “10 %” → “40 %”.').waitFor();
  expect(await strategiesIn('development')).toMatchObject([{ title: 'Theirs', parameters: { rollout: '10' } }]);
  await dialog.getByRole('button', { name: 'Apply mine anyway' }).click();
  await page.getByText('Done: this changes the strategy').waitFor();
  expect(await strategiesIn('development')).toMatchObject([{ title: 'Mine', parameters: { rollout: '40' } }]);
});

test('without an answer the outcome is unknown, and the change is not sent again', async () => {
  await addByApi('Mine', '10');
  const page = await openEditor('Mine');
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

test('strategies are ordered, disabled, copied and deleted by keyboard', async () => {
  await addByApi('First', '10');
  await addByApi('Second', '20');
  await administer(tested.system, 'POST', `${features}/${flag}/environments/development/on`);
  const page = await tested.open(path(), { as: editor });
  const choose = async (title: string, item: string) => {
    await page
      .getByRole('button', { name: `What to do with “${title}”` })
      .first()
      .press('Enter');
    const chosen = page.getByRole('menuitem', { name: item, exact: true });
    while (!(await chosen.evaluate((element) => element === element.ownerDocument.activeElement))) {
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
  };
  await choose('Second', 'Move up');
  await page.getByText('The order becomes: 1. “Second”, 2. “First”.').waitFor();
  await apply(page, 'changes the order');
  expect((await strategiesIn('development')).map(({ title }: { title: string }) => title)).toEqual(['Second', 'First']);
  await choose('Second', 'Disable');
  await apply(page, 'disables the strategy “Second”');
  await choose('First', 'Copy to production');
  await apply(page, 'adds the strategy “First”');
  expect(await strategiesIn('production')).toMatchObject([{ title: 'First', parameters: { rollout: '10' } }]);
  await page.getByText('production differs from development: off instead of on.').waitFor();
  await choose('Second', 'Delete');
  await apply(page, 'deletes the strategy “Second”');
  expect(await strategiesIn('development')).toHaveLength(1);
});

test('settings, tags, stale and archive are reviewed and saved', async () => {
  const page = await tested.open(path(), { as: editor });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Description').fill('For all');
  await page.getByLabel('Type').selectOption('experiment');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByText('The description: none → “For all”.').waitFor();
  await apply(page, 'changes the description and type');
  await page.getByRole('button', { name: 'Add a tag' }).click();
  await page.getByLabel('Value').fill('payments');
  await page.getByRole('button', { name: 'Review and add' }).click();
  await apply(page, 'adds the tag simple:payments');
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('Mark as stale');
  await apply(page, `marks ${flag} as stale`);
  expect(await administer(tested.system, 'GET', `${features}/${flag}`)).toMatchObject({
    ...{ description: 'For all', type: 'experiment', stale: true },
    tags: [{ type: 'simple', value: 'payments' }],
  });
  // An archived flag is found by searches only.
  tested.allow(/404/);
  await choose('Archive');
  await apply(page, `archives ${flag}`);
  await page.getByRole('button', { name: 'Revive' }).click();
  await apply(page, `revives ${flag}`);
  await page.getByRole('switch', { name: `${flag} in development`, checked: false }).waitFor();
});

test('controls without the permission are off and name it', async () => {
  await addByApi('First', '10');
  const viewer = await addPerson(tested.system, rootRoles.viewer);
  const page = await tested.open(path(), { as: viewer });
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
  await addByApi('First', '10');
  const page = await openEditor('First');
  await page.getByLabel('Title').fill('Typed');
  await page.getByRole('link', { name: flag }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByLabel('Title').inputValue()).toBe('Typed');
});

test.each(['light', 'dark'] as const)('%s: no barrier in the editor, which fits a phone', async (theme) => {
  await administer(tested.system, 'POST', api('development'), {
    ...{ name: 'flexibleRollout', title: 'Whole', parameters: { rollout: '30' } },
    constraints: [{ contextName: 'userId', operator: 'IN', values: Array.from({ length: 1000 }, (_, id) => `u${id}`) }],
    variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
  });
  const [{ id }] = await strategiesIn('development');
  const page = await tested.open(`${path()}/environments/development/strategies/${id}`, {
    ...{ as: editor, size: 'phone', theme },
  });
  await page.getByText('And 900 more.').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});
