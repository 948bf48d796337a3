// What a project has of its own: links of its flags, default strategies, segments and context fields. And its end.
import { addPerson, administer, makeFlag, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';
import { rolloutOf } from '../testing/strategy-steps.ts';

const tested = setUpConsole();
/** The event of the deletion may arrive while the page of the project is still shown. */
const readAfterEnd = /^404 GET .*\/overview$/;
let editor: TestPerson;
let viewer: TestPerson;

beforeAll(async () => {
  editor = await addPerson(tested.system, rootRoles.editor);
  viewer = await addPerson(tested.system, rootRoles.viewer);
});

async function makeProject(id: string): Promise<void> {
  await administer(tested.system, 'POST', '/api/admin/projects', { id, name: `Project ${id}` });
}

test('a project with flags is not deleted and says which, and one without is gone after a question', async () => {
  await makeProject('ending');
  await makeFlag(tested.system, 'ending', 'last-one', { name: 'default' });
  tested.allow(/^409 DELETE .*\/projects\/ending$/);
  tested.allow(readAfterEnd);
  const page = await tested.open('/projects/ending/settings', { as: editor });
  const ask = page.getByRole('button', { name: 'Delete the project Project ending' });
  const question = page.getByRole('dialog', { name: 'Delete the project Project ending?' });
  await ask.click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await question.getByText(/flags that are not archived: "last-one"/).waitFor();
  await administer(tested.system, 'DELETE', '/api/admin/projects/ending/features/last-one');
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The project Project ending was deleted.').waitFor();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Project ending' }).count()).toBe(0);
  expect((await tested.system.call('GET', '/api/admin/projects/ending/overview')).status).toBe(404);
});

test('an archived project does not change, and can be deleted', async () => {
  await makeProject('shelved');
  await administer(tested.system, 'POST', '/api/admin/projects/archive/shelved');
  tested.allow(readAfterEnd);
  const page = await tested.open('/projects/shelved/settings', { as: editor });
  await page.getByRole('button', { name: 'Save General (An archived project does not change.' }).waitFor();
  expect(await page.getByRole('button', { name: 'Archive the project' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Delete the project Project shelved' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The project Project shelved was deleted.').waitFor();
});

test('links of a project are on the page of each of its flags; a refused address is said at its field', async () => {
  await makeProject('linked');
  await makeFlag(tested.system, 'linked', 'checkout', { name: 'default' });
  tested.allow(/^400 PUT .*\/linked\/settings$/);
  const page = await tested.open('/projects/linked/settings', { as: editor });
  await page.getByRole('button', { name: 'Add a link' }).click();
  await page.getByLabel('Text').fill('Code');
  await page.getByLabel('Address').fill('javascript:alert(1)');
  await page.getByRole('button', { name: 'Save Links of flags' }).click();
  await page.locator('input[aria-invalid="true"]').waitFor();
  await page.getByLabel('Address').fill('https://example.com/{{project}}?q={{feature}}');
  await page.getByRole('button', { name: 'Save Links of flags' }).click();
  await page.getByText('The settings of the project were saved.').waitFor();
  await page.goto(`${tested.system.url}/projects/linked/features/checkout`);
  const link = page.getByRole('list', { name: 'Links of the project' }).getByRole('link', { name: 'Code' });
  expect(await link.getAttribute('href')).toBe('https://example.com/linked?q=checkout');
});

test('a flag that is switched on gets the default strategy that was set for the environment', async () => {
  await makeProject('careful');
  await administer(tested.system, 'POST', '/api/admin/projects/careful/features', { name: 'risky' });
  const page = await tested.open('/projects/careful/environments', { as: editor });
  await page.getByRole('link', { name: 'Default strategy in production' }).click();
  await page.getByRole('heading', { name: 'Default strategy in production' }).waitFor();
  await rolloutOf(page).fill('10');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The default strategy in production was saved.').waitFor();
  await page.getByText('on for 10 %').waitFor();
  await page.goto(`${tested.system.url}/projects/careful/features/risky`);
  await page.getByText('Switching it on adds one for 10 %.').waitFor();
  const environment = '/api/admin/projects/careful/features/risky/environments/production';
  await administer(tested.system, 'POST', `${environment}/on`);
  const { strategies } = await administer(tested.system, 'GET', environment);
  expect(strategies[0].parameters).toMatchObject({ rollout: '10', groupId: 'risky' });
});

test('somebody else who changes a default strategy is said, and what was typed stays', async () => {
  await makeProject('busy');
  const page = await tested.open('/projects/busy/environments/development/default-strategy', { as: editor });
  await rolloutOf(page).fill('30');
  await administer(tested.system, 'POST', '/api/admin/projects/busy/environments/development/default-strategy', {
    ...{ name: 'flexibleRollout', parameters: { rollout: '70', stickiness: 'default' } },
  });
  await page.getByText('Somebody else changed this default strategy').waitFor();
  expect(await rolloutOf(page).inputValue()).toBe('30');
  await page.getByRole('button', { name: 'Show theirs' }).click();
  await expect.poll(() => rolloutOf(page).inputValue()).toBe('70');
});

test('a context field of a project is made, used by a segment of the project, and in no other project', async () => {
  await makeProject('own');
  const page = await tested.open('/projects/own/context', { as: editor });
  await page.getByText('The project has no context field of its own').waitFor();
  await page.getByRole('button', { name: 'New context field' }).click();
  await page.getByLabel('Name', { exact: true }).fill('basket');
  await page.getByRole('button', { name: 'Make context field' }).click();
  await page.getByRole('link', { name: 'basket' }).click();
  await page.getByLabel('Description').fill('How much is in it');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The context field basket was saved.').waitFor();
  await page.goto(`${tested.system.url}/projects/own/segments`);
  await page.getByRole('button', { name: 'New segment' }).click();
  await page.getByLabel('Name', { exact: true }).fill('large');
  await page.getByRole('button', { name: 'Add a constraint' }).click();
  await page.getByLabel('Field').selectOption('basket');
  await page.getByLabel('Add values').fill('full');
  await page.getByLabel('Add values').press('Enter');
  await page.getByRole('button', { name: 'Make segment' }).click();
  await page.getByRole('link', { name: 'large' }).waitFor();
  await page.getByText('basket is full').waitFor();
  await page.goto(`${tested.system.url}/projects/default/segments`);
  await page.getByText('The project has no segment of its own').waitFor();
  const ofAll: { name: string }[] = await administer(tested.system, 'GET', '/api/admin/context');
  expect(ofAll.map(({ name }) => name)).not.toContain('basket');
  await page.goto(`${tested.system.url}/projects/own/context/basket`);
  await page.getByRole('button', { name: 'Delete the context field basket' }).click();
  tested.allow(/^409 DELETE .*\/own\/context\/basket$/);
  const question = page.getByRole('dialog', { name: 'Delete the context field basket?' });
  await question.getByRole('button', { name: 'Delete' }).click();
  await question.getByText(/segment/i).waitFor();
  const { segments } = await administer(tested.system, 'GET', '/api/admin/segments');
  const { id } = segments.find(({ name }: { name: string }) => name === 'large');
  await administer(tested.system, 'DELETE', `/api/admin/segments/${id}`);
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The project has no context field of its own').waitFor();
});

test('what a viewer may not do is off, and names the permission', async () => {
  const page = await tested.open('/projects/default/segments', { as: viewer });
  await page.getByRole('button', { name: /New segment .*UPDATE_PROJECT_SEGMENT/ }).waitFor();
  await page.getByRole('link', { name: 'Context fields' }).last().click();
  await page.getByRole('button', { name: /New context field .*UPDATE_PROJECT_CONTEXT/ }).waitFor();
  await page.goto(`${tested.system.url}/projects/default/environments/development/default-strategy`);
  await page.getByRole('button', { name: /Save .*UPDATE_PROJECT/ }).waitFor();
});

test.each(['segments', 'context', 'new-context-field', 'environments/development/default-strategy'])(
  '%s of a project has no barrier on a phone',
  async (part) => {
    const page = await tested.open(`/projects/default/${part}`, { as: editor, size: 'phone', theme: 'dark' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Loading').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await findBarriers(page)).toEqual([]);
  },
);
