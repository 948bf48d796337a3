// Strategies of a flag in the console: added, edited while somebody else edits, ordered, copied and deleted.
import { administer } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { expect, test } from 'vitest';
import { setUpConsole } from '../testing/set-up-console.ts';
import { apply, features, rolloutOf, setUpFlags } from '../testing/strategy-steps.ts';

const tested = setUpConsole();
const flags = setUpFlags(tested);

test('a strategy with constraints is added, after the review said for whom', async () => {
  const page = await flags.open();
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
  await apply(page, 'Added the strategy');
  expect(await flags.strategiesIn('development')).toMatchObject([
    {
      parameters: { rollout: '25', groupId: flags.flag() },
      constraints: [{ contextName: 'userId', values: ['7', '8', '9'] }],
    },
  ]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(/^Deleted the strategy/).waitFor();
  expect(await flags.strategiesIn('development')).toEqual([]);
});

test('a change by somebody else is said in the editor, and overwritten only on request', async () => {
  const { id } = await flags.add('Mine', '10');
  const page = await flags.openEditor('Mine');
  await rolloutOf(page).fill('40');
  await administer(tested.system, 'PATCH', flags.strategies('development', `/${id}`), [
    { op: 'replace', path: '/title', value: 'Theirs' },
  ]);
  await page.getByText(/Changed by .* while you were here/).waitFor();
  expect(await rolloutOf(page).inputValue()).toBe('40');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  const dialog = page.getByRole('dialog', { name: 'Somebody else changed this' });
  await dialog.getByText('The title: “Mine” → “Theirs”.').waitFor();
  await dialog.getByText('The rollout: “10 %” → “40 %”.').waitFor();
  expect(await flags.strategiesIn('development')).toMatchObject([{ title: 'Theirs', parameters: { rollout: '10' } }]);
  await dialog.getByRole('button', { name: 'Apply mine anyway' }).click();
  await page.getByText(/^Changed the strategy/).waitFor();
  expect(await flags.strategiesIn('development')).toMatchObject([{ title: 'Mine', parameters: { rollout: '40' } }]);
});

test('strategies are ordered, disabled, copied and deleted by keyboard', async () => {
  await flags.add('First', '10');
  await flags.add('Second', '20');
  await administer(tested.system, 'POST', `${features}/${flags.flag()}/environments/development/on`);
  const page = await flags.open();
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
  await apply(page, 'Changed the order');
  expect((await flags.strategiesIn('development')).map(({ title }: { title: string }) => title)).toEqual([
    'Second',
    'First',
  ]);
  await choose('Second', 'Disable');
  await apply(page, 'Disabled the strategy “Second”');
  await choose('First', 'Copy to production');
  await apply(page, 'Added the strategy “First”');
  expect(await flags.strategiesIn('production')).toMatchObject([{ title: 'First', parameters: { rollout: '10' } }]);
  await page.getByText('production differs from development: off instead of on.').waitFor();
  await choose('Second', 'Delete');
  await apply(page, 'Deleted the strategy “Second”');
  expect(await flags.strategiesIn('development')).toHaveLength(1);
});

test('a strategy is dragged to another place, which is reviewed, and Escape leaves it where it is', async () => {
  const titles = ['One', 'Two', 'Three'];
  for (const title of titles) await flags.add(title, '10');
  const page = await flags.open();
  const items = page.getByRole('list', { name: 'Strategies in development' }).getByRole('listitem');
  await expect.poll(() => items.count()).toBe(3);
  /** Takes the last one and holds it above the first one. */
  const drag = async () => {
    const [last, first] = [await items.last().boundingBox(), await items.first().boundingBox()];
    await page.mouse.move(last!.x + 12, last!.y + last!.height / 2);
    await page.mouse.down();
    await page.mouse.move(first!.x + 12, first!.y + 2, { steps: 5 });
    await expect.poll(() => items.first().getAttribute('data-mark')).toBe('before');
  };
  await drag();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  expect(await items.first().getAttribute('data-mark')).toBeNull();
  expect(await page.getByRole('dialog').count()).toBe(0);

  await drag();
  await page.mouse.up();
  await page.getByText('The order becomes: 1. “Three”, 2. “One”, 3. “Two”.').waitFor();
  await apply(page, 'Changed the order');
  const stored = await flags.strategiesIn('development');
  expect(stored.map(({ title }: { title: string }) => title)).toEqual(['Three', 'One', 'Two']);
});
