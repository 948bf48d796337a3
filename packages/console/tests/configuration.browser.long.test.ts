// What flags are made of beside themselves: segments, environments, context fields, tag types and types of flags.
import { addPerson, administer, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let admin: TestPerson;
let editor: TestPerson;
let viewer: TestPerson;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
  editor = await addPerson(tested.system, rootRoles.editor);
  viewer = await addPerson(tested.system, rootRoles.viewer);
});

test('a segment is made; a taken name is said at its field', async () => {
  await administer(tested.system, 'POST', '/api/admin/segments', { name: 'taken', constraints: [] });
  tested.allow(/^409 POST .*\/segments$/);
  const page = await tested.open('/segments', { as: editor });
  await page.getByRole('button', { name: 'New segment' }).click();
  await page.getByLabel('Name', { exact: true }).fill('taken');
  await page.getByRole('button', { name: 'Add a constraint' }).click();
  await page.getByLabel('Add values').fill('12, 77');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Make segment' }).click();
  await page.locator('input[aria-invalid="true"]').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('beta-users');
  await page.getByRole('button', { name: 'Make segment' }).click();
  await page.getByRole('link', { name: 'beta-users' }).waitFor();
  await page.getByText('userId is 12 or 77').waitFor();
});

test('a click on the button of a form is not lost when a field takes what was typed and grows', async () => {
  const { system } = tested;
  const page = await tested.open('/segments/new', { as: editor });
  await page.getByLabel('Name', { exact: true }).fill('some-users');
  await page.getByRole('button', { name: 'Add a constraint' }).click();
  await page.getByLabel('Add values').pressSequentially('u1, u2');
  await page.getByRole('button', { name: 'Make segment' }).click();
  await expect
    .poll(async () => (await system.call('GET', '/api/admin/segments')).body.segments)
    .toContainEqual(
      expect.objectContaining({ name: 'some-users', constraints: [expect.objectContaining({ values: ['u1', 'u2'] })] }),
    );
});

test('a segment in use says where, is not deleted, and a change of it is reviewed', async () => {
  const segment = await administer(tested.system, 'POST', '/api/admin/segments', {
    name: 'in-norway',
    constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['.no'] }],
  });
  const features = '/api/admin/projects/default/features';
  await administer(tested.system, 'POST', features, { name: 'fjords' });
  await administer(tested.system, 'POST', `${features}/fjords/environments/development/strategies`, {
    name: 'flexibleRollout',
    parameters: { rollout: '100', stickiness: 'default', groupId: 'fjords' },
    segments: [segment.id],
  });
  const page = await tested.open(`/segments/${segment.id}`, { as: editor });
  await page.getByRole('list', { name: 'Used by' }).getByRole('link', { name: 'fjords' }).waitFor();
  await page.getByRole('button', { name: 'Delete the segment in-norway (Strategies use it.' }).waitFor();
  await page.getByLabel('The opposite (not)').check();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'fjords' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await page.getByText('The segment in-norway was saved.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  expect(await page.getByText('Somebody else changed').count()).toBe(0);
  const { constraints } = await administer(tested.system, 'GET', `/api/admin/segments/${segment.id}`);
  expect(constraints[0].inverted).toBe(true);
  await administer(tested.system, 'PUT', `/api/admin/segments/${segment.id}`, { name: 'in-norway', constraints: [] });
  await page.getByText('Somebody else changed this segment').waitFor();
  await page.getByRole('button', { name: 'Show theirs' }).click();
  await page.getByText('everybody is in the segment').waitFor();
});

test('a change of a segment is reviewed also while it is not known what uses it', async () => {
  const segment = await administer(tested.system, 'POST', '/api/admin/segments', {
    name: 'of-unknown-use',
    constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['.no'] }],
  });
  const page = await tested.open('/segments', { as: editor });
  const uses = `**/api/admin/segments/${segment.id}/strategies`;
  await page.route(uses, (route) => route.fulfill({ status: 500, json: { message: 'The uses were not read.' } }));
  tested.allow(/^500 GET /);
  await page.getByRole('link', { name: 'of-unknown-use' }).click();
  await page.getByLabel('The opposite (not)').check();
  await page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The uses were not read.').waitFor();
  await dialog.getByRole('button', { name: 'Apply (It is not known yet what uses it.)' }).waitFor();
  await page.unroute(uses);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('No strategy uses it.').waitFor();
  await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByText('The segment of-unknown-use was saved.').waitFor();
});

test('an environment is made, moved, switched off and deleted', async () => {
  const page = await tested.open('/environments', { as: admin });
  const rows = page.getByRole('list', { name: 'Environments' }).getByRole('listitem');
  await page.getByRole('button', { name: 'New environment' }).click();
  await page.getByLabel('Name').fill('staging');
  await page.getByLabel('Type').selectOption('preproduction');
  await page.getByRole('button', { name: 'Make environment' }).click();
  await page.getByText('The environment staging was made.').waitFor();
  const more = page.getByRole('button', { name: 'What to do with staging' });
  const choose = async (item: string) => {
    await more.click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('Move up');
  await expect.poll(() => rows.nth(1).textContent()).toContain('staging');
  await page.getByRole('switch', { name: 'Projects can add staging' }).click();
  await page.getByText('projects cannot add it').waitFor();
  await choose('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The environment staging was deleted.').waitFor();
  const { environments } = await administer(tested.system, 'GET', '/api/admin/environments');
  expect(environments.map(({ name }: { name: string }) => name)).toEqual(['development', 'production']);
});

test('a clone of an environment has its switches', async () => {
  await administer(tested.system, 'POST', '/api/admin/projects/default/features', { name: 'cloned' });
  const environments = '/api/admin/projects/default/features/cloned/environments';
  await administer(tested.system, 'POST', `${environments}/development/on`);
  const page = await tested.open('/environments', { as: admin });
  await page.getByRole('button', { name: 'What to do with development' }).click();
  await page.getByRole('menuitem', { name: 'Clone' }).click();
  await page.getByRole('button', { name: 'Clone' }).click();
  await page.getByText('development-copy was made from development').waitFor();
  expect((await administer(tested.system, 'GET', `${environments}/development-copy`)).enabled).toBe(true);
});

test('a context field gets legal values with what they mean', async () => {
  const page = await tested.open('/context-fields', { as: editor });
  await page.getByRole('button', { name: 'New context field' }).click();
  await page.getByLabel('Name', { exact: true }).fill('plan');
  await page.getByLabel('Add values').fill('gold, silver');
  await page.getByLabel('Add values').press('Enter');
  await page.getByLabel('What gold means').fill('The largest plan');
  await page.getByRole('button', { name: 'Make context field' }).click();
  await page.getByRole('link', { name: 'plan' }).click();
  await page.getByRole('button', { name: 'Remove silver' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The context field plan was saved.').waitFor();
  const { legalValues } = await administer(tested.system, 'GET', '/api/admin/context/plan');
  expect(legalValues).toEqual([{ value: 'gold', description: 'The largest plan' }]);
});

test('a tag type is made with a refused colour mended, and a lifetime is changed', async () => {
  tested.allow(/^400 POST .*\/tag-types$/);
  const page = await tested.open('/tag-types', { as: admin });
  await page.getByRole('button', { name: 'New tag type' }).click();
  await page.getByLabel('Name').fill('team');
  await page.getByLabel('Color').fill('blue');
  await page.getByRole('button', { name: 'Make tag type' }).click();
  await page.locator('input[aria-invalid="true"]').waitFor();
  await page.getByLabel('Color').fill('#2f4fc7');
  await page.getByRole('button', { name: 'Make tag type' }).click();
  await page.getByRole('button', { name: 'Edit team' }).waitFor();
  await page.getByRole('link', { name: 'Flag types' }).click();
  await page.getByRole('button', { name: 'Change the lifetime of Release' }).click();
  await page.getByLabel('Days').fill('90');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Lives 90 days').waitFor();
});

test('what a viewer may not do is off, and names the permission', async () => {
  const page = await tested.open('/segments', { as: viewer });
  await page.getByRole('button', { name: /New segment .*CREATE_SEGMENT/ }).waitFor();
  await page.getByRole('link', { name: 'Environments' }).click();
  await page.getByRole('button', { name: /New environment .*ADMIN/ }).waitFor();
  await page.getByRole('link', { name: 'Context fields' }).click();
  await page.getByRole('button', { name: /New context field .*CREATE_CONTEXT_FIELD/ }).waitFor();
  await page.getByRole('link', { name: 'Tag types' }).click();
  await page.getByRole('button', { name: /New tag type .*CREATE_TAG_TYPE/ }).waitFor();
});

test.each(['/segments', '/segments/new', '/environments', '/context-fields', '/new-context-field', '/tag-types'])(
  '%s has no barrier',
  async (path) => {
    const page = await tested.open(path, { as: admin, size: 'phone', theme: 'dark' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Loading').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await findBarriers(page)).toEqual([]);
  },
);
