// The tests of the console fail when a page does what it must not. This file shows that it is seen.
import { openPage } from '@yardarm/testing/browser';
import { expect, test } from 'vitest';
import { setUpConsole } from '../testing/set-up-console.ts';

const tested = setUpConsole();

/** What a page does, and the fault that is noted for it. */
const acts: [act: string, fault: string][] = [
  ["document.body.setAttribute('style', 'color: red')", 'blocked: style-src-attr inline'],
  [
    "document.body.append(Object.assign(document.createElement('style'), { textContent: 'b {}' }))",
    'blocked: style-src-elem',
  ],
  [
    "document.body.append(Object.assign(document.createElement('script'), { textContent: '1' }))",
    'blocked: require-trusted',
  ],
  ["document.body.innerHTML = '<b>1</b>'", 'blocked: require-trusted-types-for trusted-types-sink Element innerHTML'],
  ["document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.2/' }))", 'blocked: img-src'],
  ["fetch('http://127.0.0.2/').catch(() => {})", 'blocked: connect-src'],
  ["setTimeout(() => { throw new Error('thrown') })", 'uncaught: thrown'],
  ["console.error('written')", 'error: written'],
  ["fetch('/api/admin/projects')", '401 GET /api/admin/projects'],
];

test('a part that the policy blocks, an error and a refused answer are faults', async () => {
  const { page, faults } = await openPage(tested.browser, tested.system.url, {});
  await page.getByLabel('Password').waitFor();
  for (const [act, expected] of acts) {
    faults.length = 0;
    await page.evaluate(`try { ${act} } catch {} undefined`);
    await expect.poll(() => faults, { message: act }).toContainEqual(expect.stringContaining(expected));
  }
  await page.context().close();
});
