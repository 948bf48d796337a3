// The programs of the first run that can run here, as they are copied from the page: each follows the switch.
import { addPerson, administer, eventually, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { screenshotsFolder } from '../testing/options.ts';
import { installRubySdk, runProgram } from '../testing/run-program.ts';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();
const features = '/api/admin/projects/default/features';
let editor: TestPerson;

beforeAll(async () => {
  editor = await addPerson(tested.system, rootRoles.editor);
});

/** The program of the page for the SDK, with a new token. */
async function copiedProgram(sdk: string, label: string, flag: string): Promise<string> {
  await administer(tested.system, 'POST', features, { name: flag });
  const page = await tested.open(`/welcome?project=default&flag=${flag}&sdk=${sdk}`, { as: editor });
  await page.getByRole('button', { name: 'Make token' }).click();
  const program = page.getByRole('region', { name: `the program for ${label}` });
  await program.getByText(tested.system.url).first().waitFor();
  return program.innerText();
}

const onOff = (flag: string, isOn: boolean) =>
  administer(tested.system, 'POST', `${features}/${flag}/environments/development/${isOn ? 'on' : 'off'}`);

test.each([
  ['node', 'Node.js', 'mjs'],
  ['openfeature', 'OpenFeature (OFREP) in Node.js', 'mjs'],
  ['ruby', 'Ruby', 'rb'],
] as const)('the program for %s prints each state of the flag', async (sdk, label, kind) => {
  if (kind === 'rb') installRubySdk();
  const flag = `followed-by-${sdk}`;
  const program = runProgram(kind, await copiedProgram(sdk, label, flag));
  onTestFinished(program.stop);
  await eventually(() => expect(program.output()).toContain(`${flag}: false`));
  await onOff(flag, true);
  // The SDKs ask every 15 s.
  await eventually(() => expect(program.output()).toContain(`${flag}: true`), 40_000);
  await onOff(flag, false);
  await eventually(() => expect(program.output()).toMatch(/true\n(.*\n)*.*false/), 40_000);
});

test('the command for curl prints the flag once it is on', async () => {
  const source = await copiedProgram('curl', 'curl', 'followed-by-curl');
  const answered = async () => {
    const program = runProgram('sh', source);
    await program.ended;
    await program.stop();
    return program.output();
  };
  expect(await answered()).toContain('{"toggles":[]}');
  await onOff('followed-by-curl', true);
  await eventually(async () => expect(await answered()).toContain('"name":"followed-by-curl","enabled":true'));
});

test('a new pane deletes the tokens of earlier ones that have ended', async () => {
  const flag = 'shown-again';
  await administer(tested.system, 'POST', features, { name: flag });
  const tokens = '/api/admin/projects/default/api-tokens';
  const ended = { type: 'frontend', environment: 'development', tokenName: 'console-pane' };
  const expiresAt = new Date(Date.now() + 1_000).toISOString();
  const { secret } = await administer(tested.system, 'POST', tokens, { ...ended, expiresAt });
  const page = await tested.open(`/welcome?project=default&flag=${flag}`, { as: editor });
  await page.getByRole('button', { name: 'Make token' }).click();
  await page.getByRole('button', { name: 'Run an SDK in this page' }).click();
  await page.getByRole('region', { name: 'An SDK in this page' }).getByText(`${flag} is off`).waitFor();
  const selector = secret.split('_').slice(0, 2).join('_');
  await expect.poll(async () => JSON.stringify(await administer(tested.system, 'GET', tokens))).not.toContain(selector);
});

test.each([
  ['desk', 'light'],
  ['desk', 'dark'],
  ['phone', 'light'],
  ['phone', 'dark'],
] as const)('with an SDK in the page there is no barrier on a %s, %s', async (size, theme) => {
  const flag = `shown-on-${size}-${theme}`;
  await administer(tested.system, 'POST', features, { name: flag });
  const page = await tested.open(`/welcome?project=default&flag=${flag}`, { as: editor, size, theme });
  await page.getByRole('button', { name: 'Make token' }).click();
  await page.getByRole('button', { name: 'Run an SDK in this page' }).click();
  const pane = page.getByRole('region', { name: 'An SDK in this page' });
  await pane.getByText(`${flag} is off`).waitFor();
  await page.getByRole('switch').click();
  await pane.getByText(`${flag} is on`).waitFor();
  const file = `${screenshotsFolder}/welcome-running-${size}-${theme}.png`;
  if (screenshotsFolder) await page.screenshot({ path: file, fullPage: true });
  expect(await findBarriers(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});
