// What a person types into a question to the playground.
import { addPerson } from '@yardarm/testing';
import { expect, test } from 'vitest';
import { rootRoles, setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();

test('letters go where the caret is, and are asked for together once nothing more is typed', async () => {
  const question = new URLSearchParams({
    environments: JSON.stringify(['development']),
    context: JSON.stringify([['userId', 'user-1']]),
  });
  const page = await tested.open('/features', { as: await addPerson(tested.system, rootRoles.viewer) });
  const asked = new Set<string>();
  page.on('request', (request) => {
    if (request.url().endsWith('/playground/advanced')) asked.add(request.postDataJSON().context.userId);
  });
  await page.goto(`${tested.system.url}/playground?${question}`);
  const value = page.getByLabel('Value');
  await expect.poll(() => asked.size).toBe(1);
  await value.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  // Both within one task of the browser, so that no pause can be between them.
  await page.evaluate(`for (const letter of '23') document.execCommand('insertText', false, letter)`);
  await page.waitForURL(/user-231/);
  expect(await value.inputValue()).toBe('user-231');
  await expect.poll(() => [...asked]).toEqual(['user-1', 'user-231']);
  await page.getByRole('button', { name: 'Remove userId' }).click();
  await page.waitForURL((url) => !url.href.includes('user-231'));
  expect(await value.inputValue()).toBe('');
});
