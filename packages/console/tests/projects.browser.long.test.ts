// Projects in the console: made, set, archived and revived, their environments, and flags taken out of and into them.
import { readFile } from 'node:fs/promises';
import { addPerson, administer, makeFlag, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
let editor: TestPerson;
let viewer: TestPerson;

beforeAll(async () => {
  editor = await addPerson(tested.system, rootRoles.editor);
  viewer = await addPerson(tested.system, rootRoles.viewer);
});

async function makeProject(id: string): Promise<void> {
  await administer(tested.system, 'POST', '/api/admin/projects', { id, name: `Project ${id}` });
}

test('a project is made with an environment; a taken id is said at its field', async () => {
  tested.allow(/^409 POST .*\/projects$/);
  const page = await tested.open('/projects', { as: editor });
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByLabel('Name').fill('Shop');
  await page.getByLabel('Id').fill('default');
  await page.getByLabel('production').uncheck();
  await page.getByRole('button', { name: 'Make project' }).click();
  await page.locator('input[aria-invalid="true"]').waitFor();
  await page.getByLabel('Id').fill('shop');
  await page.getByRole('button', { name: 'Make project' }).click();
  await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor();
  const { environments } = await administer(tested.system, 'GET', '/api/admin/projects/shop/overview');
  expect(environments.map(({ environment }: { environment: string }) => environment)).toEqual(['development']);
});

test('a pattern for names is saved with its example, and a refused one is said at its field', async () => {
  await makeProject('named');
  tested.allow(/^400 PUT .*\/named\/settings$/);
  const page = await tested.open('/projects/named/settings', { as: editor });
  await page.getByLabel('Pattern').fill('shop\\.(');
  await page.getByRole('button', { name: 'Save Names of flags' }).click();
  await page
    .getByText(/regular expression/i)
    .last()
    .waitFor();
  await page.getByLabel('Pattern').fill('shop\\.[a-z]+');
  await page.getByLabel('Example').fill('shop.checkout');
  await page.getByRole('button', { name: 'Save Names of flags' }).click();
  await page.getByText('The settings of the project were saved.').waitFor();
  const { featureNaming } = await administer(tested.system, 'GET', '/api/admin/projects/named/overview');
  expect(featureNaming).toMatchObject({ pattern: 'shop\\.[a-z]+', example: 'shop.checkout' });
});

test('a project is archived after a question, and revived', async () => {
  await makeProject('brief');
  const page = await tested.open('/projects/brief/settings', { as: editor });
  await page.getByRole('button', { name: 'Archive the project Project brief' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Revive the project Project brief' }).click();
  await page.getByText('was revived').waitFor();
  await page.getByRole('link', { name: 'In use' }).click();
  await page.getByRole('button', { name: 'Project brief is a favourite' }).click();
  await page.getByRole('button', { name: 'Project brief is a favourite', pressed: true }).waitFor();
});

test('settings of a project that are not saved are not left without a question', async () => {
  await makeProject('typed');
  const page = await tested.open('/projects/typed/settings', { as: editor });
  await page.getByLabel('Name', { exact: true }).fill('Typed and kept');
  await page.getByRole('link', { name: 'Flags', exact: true }).first().click();
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
  await asked.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Save General' }).click();
  await page.getByText('The settings of the project were saved.').waitFor();
  await page.getByRole('link', { name: 'Flags', exact: true }).first().click();
  await page.waitForURL(/\/features$|\/projects\/typed$/);
});

test('an environment is taken out of a project after a question, and added again', async () => {
  await makeProject('places');
  const page = await tested.open('/projects/places/environments', { as: editor });
  const has = page.getByRole('switch', { name: 'The project has production' });
  await has.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The project does not have it').waitFor();
  await has.click();
  await page.getByText('The project has the environment production.').waitFor();
});

test('flags are exported as a file, which is checked and imported into another project', async () => {
  await makeProject('source');
  await makeProject('target');
  await makeFlag(tested.system, 'source', 'moved', { name: 'default' });
  const page = await tested.open('/projects/source/transfer', { as: editor });
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as a file' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('source-development.json');
  const text = (await readFile(await file.path(), 'utf8')).replaceAll('"moved"', '"moved-here"');
  await page.goto(`${tested.system.url}/projects/target/transfer`);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('Choose a file, or paste its text.').waitFor();
  await page.getByLabel('Or its text').fill('{');
  await page.getByText('This is not JSON').waitFor();
  const upload = { name: 'flags.json', mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.getByLabel('File').setInputFiles(upload);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('1 flag can be imported').waitFor();
  await page.getByRole('button', { name: 'Import 1 flag' }).click();
  await page.getByText('1 flag imported into target.').waitFor();
  const { project } = await administer(tested.system, 'GET', '/api/admin/projects/target/features/moved-here');
  expect(project).toBe('target');
});

test('a check of an import says what is refused, and offers no import', async () => {
  await administer(tested.system, 'POST', '/api/admin/projects/default/features', { name: 'elsewhere' });
  await makeProject('other');
  const page = await tested.open('/projects/other/transfer', { as: editor });
  await page.getByLabel('Or its text').fill('{"features":[{"name":"elsewhere"}],"featureStrategies":[]}');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('It cannot be imported.').waitFor();
  expect(await page.getByRole('button', { name: /^Import/ }).count()).toBe(0);
});

test('an import names the flags that it leaves out, and does not count them', async () => {
  await makeProject('partly');
  const page = await tested.open('/projects/partly/transfer', { as: editor });
  const features = [{ name: 'retired', archived: true }, { name: 'in-use' }];
  await page.getByLabel('Or its text').fill(JSON.stringify({ features, featureStrategies: [] }));
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('1 flag can be imported. Read the warnings first.').waitFor();
  await page.getByText(/archived in the document and will not be imported: retired/).waitFor();
  await page.getByRole('button', { name: 'Import 1 flag' }).click();
  await page.getByText('1 flag imported into partly.').waitFor();
});

test('stale flags are on a board by stage, and are archived together', async () => {
  await makeProject('aged');
  const features = '/api/admin/projects/aged/features';
  for (const name of ['old-search', 'old-menu', 'young']) await administer(tested.system, 'POST', features, { name });
  const stale = { features: ['old-search', 'old-menu'], stale: true };
  await administer(tested.system, 'POST', '/api/admin/projects/aged/stale', stale);
  const page = await tested.open('/staleness?project=aged', { as: editor });
  const never = page.getByRole('region', { name: 'Never used' });
  await never.getByRole('link', { name: 'old-menu' }).waitFor();
  expect(await never.getByRole('listitem').count()).toBe(2);
  expect(await findBarriers(page)).toEqual([]);
  await page.getByLabel('Select every flag of the list').check();
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('heading', { name: 'No flag is stale' }).waitFor();
});

test('what a viewer may not do is off, and names the permission', async () => {
  const page = await tested.open('/projects', { as: viewer });
  await page.getByRole('button', { name: /New project .*CREATE_PROJECT/ }).waitFor();
  await page.getByRole('link', { name: 'Default' }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('button', { name: /Save General .*UPDATE_PROJECT/ }).waitFor();
});

test.each(['settings', 'environments', 'transfer'])('%s of a project has no barrier', async (part) => {
  const page = await tested.open(`/projects/default/${part}`, { as: editor, size: 'phone' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Loading').waitFor({ state: 'hidden' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await findBarriers(page)).toEqual([]);
});
