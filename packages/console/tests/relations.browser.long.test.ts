// The links, dependencies and environment variants of a flag in the console.
import { administer } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { expect, test } from 'vitest';
import { setUpConsole } from '../testing/set-up-console.ts';
import { apply, features, setUpFlags } from '../testing/strategy-steps.ts';

const tested = setUpConsole();
const flags = setUpFlags(tested);

const stored = () => administer(tested.system, 'GET', `${features}/${flags.flag()}`);

test('links are added, edited and removed after a review, by keyboard', async () => {
  const page = await flags.open();
  await page.getByRole('button', { name: 'Add a link' }).press('Enter');
  await page.getByLabel('Address').fill('https://example.com/plan');
  await page.getByLabel('Title').fill('Plan');
  await page.getByLabel('Title').press('Enter');
  await page.getByRole('dialog').getByText('This adds the link “Plan”').waitFor();
  expect((await stored()).links).toEqual([]);
  await apply(page, 'Added the link “Plan”');
  const link = page.getByRole('list', { name: 'Links' }).getByRole('link', { name: 'Plan' });
  expect(await link.getAttribute('href')).toBe('https://example.com/plan');
  expect(await link.getAttribute('rel')).toBe('noreferrer');

  await page.getByRole('button', { name: 'Edit the link Plan' }).press('Enter');
  await page.getByLabel('Title').fill('');
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Review and save' }).press('Enter');
  await page.getByText('The title: “Plan” → none.').waitFor();
  await apply(page, 'Changed the link “Plan”');
  expect((await stored()).links).toMatchObject([{ url: 'https://example.com/plan', title: null }]);

  await page.getByRole('button', { name: 'Remove the link https://example.com/plan' }).press('Enter');
  await apply(page, 'Removed the link');
  expect((await stored()).links).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(async () => (await stored()).links).toMatchObject([{ url: 'https://example.com/plan' }]);
});

test('what is typed of a flag stays when Edit is pressed again, and is not left without a question', async () => {
  const page = await tested.open('/features', { as: flags.editor() });
  await page.getByRole('link', { name: flags.flag(), exact: true }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const description = page.getByLabel('Description');
  await description.fill('Typed for ten minutes');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  expect(await description.inputValue()).toBe('Typed for ten minutes');
  const stay = async () => {
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
    await asked.getByRole('button', { name: 'Stay' }).click();
    await asked.waitFor({ state: 'detached' });
    expect(await description.inputValue()).toBe('Typed for ten minutes');
  };
  await page.getByRole('link', { name: 'Projects', exact: true }).click();
  await stay();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog', { name: `Change ${flags.flag()}` }).waitFor();
  await page.evaluate('history.back()');
  await stay();
  await apply(page, 'Changed the description');
});

test('an address that runs code is refused at its field, and one of another program is a text', async () => {
  tested.allow(/^400 POST .*\/link$/);
  const page = await flags.open();
  await page.getByRole('button', { name: 'Add a link' }).click();
  await page.getByLabel('Address').fill('javascript:alert(1)');
  await page.getByRole('button', { name: 'Review and add' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
  await page.getByText('It should be an absolute URL.').waitFor();
  await page.getByLabel('Address').fill('vscode://file/tmp');
  await page.getByRole('button', { name: 'Review and add' }).click();
  await apply(page, 'Added the link');
  await page.getByRole('list', { name: 'Links' }).getByText('vscode://file/tmp').waitFor();
  expect(await page.getByRole('link', { name: 'vscode://file/tmp' }).count()).toBe(0);
});

test('a flag depends on a variant of another one, and the review says for whom it is on then', async () => {
  const { system } = tested;
  const parent = `${flags.flag()}-parent`;
  await administer(system, 'POST', features, { name: parent });
  const ofParent = `${features}/${parent}/environments/development`;
  const variant = { weightType: 'variable', stickiness: 'default' };
  await administer(system, 'PUT', `${ofParent}/variants`, [
    { ...variant, name: 'blue', weight: 500 },
    { ...variant, name: 'green', weight: 500 },
  ]);
  await administer(system, 'POST', `${ofParent}/on`);
  await administer(system, 'POST', `${features}/${flags.flag()}/environments/development/on`);

  const page = await flags.open();
  await page.getByRole('button', { name: 'Make it depend on a flag' }).press('Enter');
  await page.getByRole('button', { name: 'Add a parent' }).press('Enter');
  await page.getByRole('combobox', { name: 'Flag' }).selectOption(parent);
  await page.getByRole('checkbox', { name: 'blue' }).press('Space');
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Review and save' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: `Change ${flags.flag()}` });
  await dialog.getByText(`It is on only where ${parent} is on with the variant blue.`).waitFor();
  await dialog
    .getByRole('region', { name: 'Effect in development' })
    .getByText(/lose it/)
    .waitFor();
  await apply(page, 'Changed what');
  expect((await stored()).dependencies).toEqual([{ feature: parent, enabled: true, variants: ['blue'] }]);
  await page.getByText('is on with the variant blue.').waitFor();

  // A parent that must be off has no variant.
  const applied = async () => {
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'detached' });
    return (await stored()).dependencies;
  };
  await page.getByRole('button', { name: 'Edit dependencies' }).click();
  await page.getByLabel('It must be').selectOption('off');
  expect(await page.getByRole('checkbox', { name: 'blue' }).count()).toBe(0);
  expect(await applied()).toEqual([{ feature: parent, enabled: false, variants: [] }]);
  await page.getByRole('button', { name: 'Edit dependencies' }).click();
  await page.getByRole('button', { name: `Remove ${parent}` }).click();
  expect(await applied()).toEqual([]);

  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(async () => (await stored()).dependencies).toHaveLength(1);
  await page.goto(`${tested.system.url}/projects/default/features/${parent}`);
  const off = page.getByRole('button', { name: /Make it depend on a flag .*Flags depend on this one/ });
  expect(await off.getAttribute('aria-disabled')).toBe('true');
});

test('parents that somebody else changes meanwhile are shown beside mine', async () => {
  const { system } = tested;
  const parents = [`${flags.flag()}-one`, `${flags.flag()}-two`] as const;
  for (const name of parents) await administer(system, 'POST', features, { name });
  const page = await flags.open();
  await page.getByRole('button', { name: 'Make it depend on a flag' }).click();
  await page.getByRole('button', { name: 'Add a parent' }).click();
  await page.getByRole('combobox', { name: 'Flag' }).selectOption(parents[0]);
  await administer(system, 'POST', `${features}/${flags.flag()}/dependencies`, { feature: parents[1] });
  await page.getByText(/^(?!Somebody).+ changed what it depends on .+ while you were here\.$/).waitFor();
  await page.getByText('Before anything is overwritten you see both.').waitFor();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  const dialog = page.getByRole('dialog', { name: 'Somebody else changed this' });
  await dialog.getByText(`It is on only where ${parents[1]} is on.`).waitFor();
  await dialog.getByRole('button', { name: 'Apply mine anyway' }).click();
  await page.getByText(/^Changed what/).waitFor();
  expect((await stored()).dependencies).toMatchObject([{ feature: parents[0] }]);
});

test('the variants of an environment are 1000 together, and keep their overrides', async () => {
  const { system } = tested;
  const ofVariants = `${features}/${flags.flag()}/environments/production/variants`;
  const overrides = [{ contextName: 'userId', values: ['7'] }];
  await administer(system, 'PUT', ofVariants, [
    { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default', overrides },
  ]);
  const page = await flags.open();
  await page.getByRole('button', { name: 'Edit variants in production' }).press('Enter');
  await page.getByRole('heading', { name: 'Variants in production' }).waitFor();
  await page.getByText('blue is for userId 7 in any case.').waitFor();
  await page.getByRole('button', { name: 'Add a variant' }).press('Enter');
  await page.getByLabel('Name').last().fill('green');
  await page.getByRole('spinbutton', { name: 'Share' }).last().fill('40');
  expect(await page.getByRole('spinbutton', { name: 'Share' }).first().inputValue()).toBe('60');
  const slider = page.getByRole('slider').last();
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.getByRole('spinbutton', { name: 'Share' }).first().inputValue()).toBe('59.9');
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Review and save' }).press('Enter');
  await page.getByText('The variant green is added, with 40.1 %.').waitFor();
  await page
    .getByText(/sample users/)
    .first()
    .waitFor();
  await apply(page, 'Changed the variants');
  await page.getByText('Variants: blue 59.9 %, green 40.1 %').waitFor();
  const { variants } = await administer(system, 'GET', ofVariants);
  expect(variants).toMatchObject([
    { name: 'blue', weight: 599, overrides },
    { name: 'green', weight: 401, weightType: 'fix' },
  ]);
});
