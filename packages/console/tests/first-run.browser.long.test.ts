// The first run: a flag, a token, the program of the page as the SDK, and a switch that is followed.
import { addPerson, administer } from '@yardarm/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../testing/run-program.ts';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();

test('the first run ends with an SDK that has called, and one in the page that follows the switch', async () => {
  const { system } = tested;
  const page = await tested.open('/', { as: await addPerson(system, rootRoles.editor) });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.waitForURL('**/welcome');
  await page.getByRole('heading', { name: 'Make a flag', exact: true }).waitFor();
  expect(await page.getByLabel('Name of the flag').inputValue()).toBe('new-checkout');
  await page.getByRole('button', { name: 'Make flag' }).click();

  await page.getByLabel('SDK', { exact: true }).selectOption('Node.js');
  expect(await page.getByLabel('Environment').inputValue()).toBe('development');
  await page.getByRole('button', { name: 'Make token' }).click();
  await page.getByText('Waiting for the SDK’s first call.').waitFor();
  await page.getByText('Save as flag.mjs, and run: node flag.mjs').waitFor();
  await page.getByRole('button', { name: 'Copy the program for Node.js' }).click();
  await page.getByRole('button', { name: 'Copied the program for Node.js' }).waitFor();
  const program = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(program).toContain(`url: '${system.url}/api/'`);

  const sdk = runProgram('mjs', program);
  onTestFinished(sdk.stop);
  await expect.poll(sdk.output).toContain('new-checkout: false');
  // What gateways report every ten seconds.
  await system.processAll();
  await page.getByText('The SDK has called.').waitFor();

  const pane = page.getByRole('region', { name: 'An SDK in this page' });
  await page.getByRole('button', { name: 'Run an SDK in this page' }).click();
  await pane.getByText('new-checkout is off').waitFor();
  await page.getByRole('switch', { name: 'new-checkout in development' }).click();
  await pane.getByText('new-checkout is on').waitFor();
  await page.getByRole('heading', { name: 'Switch the flag (done)' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await pane.getByText('new-checkout is off').waitFor();

  const token = /Authorization: '([^']+)'/.exec(program)![1]!;
  const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
  expect(`${stored}${page.url()}`).not.toContain(token.slice(-20));
  await page.reload();
  await page.getByText('The SDK has called.').waitFor();
  expect(await page.content()).not.toContain(token.slice(-20));

  // The instance has a flag now.
  await page.goto(system.url);
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
});

test('the name of a flag that exists is refused at its field', async () => {
  const page = await tested.open('/welcome', { as: await addPerson(tested.system, rootRoles.editor) });
  await administer(tested.system, 'POST', '/api/admin/projects/default/features', { name: 'taken' });
  tested.allow(/^409 POST .*\/features$/);
  await page.getByLabel('Name of the flag').fill('taken');
  await page.getByRole('button', { name: 'Make flag' }).click();
  await page.locator('input[aria-invalid="true"]').waitFor();
});

test('a flag leads to the programs for its SDKs', async () => {
  const { system } = tested;
  await administer(system, 'POST', '/api/admin/projects/default/features', { name: 'connected' });
  const page = await tested.open('/projects/default/features/connected', {
    as: await addPerson(system, rootRoles.editor),
  });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Connect an SDK' }).click();
  await page.getByText('connected is in the project default.').waitFor();
  await page.getByRole('button', { name: 'Make token' }).click();
  await page.getByText('unleash.isEnabled("connected")').waitFor();
});

test('a viewer reads which permission the first run needs', async () => {
  const page = await tested.open('/welcome', { as: await addPerson(tested.system, rootRoles.viewer) });
  await page
    .getByText('You need the permission “Create flags” (CREATE_FEATURE) in project default.')
    .waitFor({ state: 'attached' });
});

test('a flag that exists is found and chosen', async () => {
  const { system } = tested;
  for (const name of ['chosen-one', 'chosen-two']) {
    await administer(system, 'POST', '/api/admin/projects/default/features', { name });
  }
  const page = await tested.open('/welcome', { as: await addPerson(system, rootRoles.editor) });
  await page.getByRole('searchbox', { name: 'Search' }).fill('chosen-t');
  await page.getByRole('button', { name: 'chosen-one' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'chosen-two in default' }).click();
  await page.getByText('chosen-two is in the project default.').waitFor();
  await page.getByRole('button', { name: 'Make token' }).waitFor();
});
