// The admin UI of unleash-server, unchanged, in a browser and in front of the gateway.
import { addPerson, startReceiver, type TestReceiver, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../pages/chromium.ts';
import { type Browsing, openUi } from './browsing.ts';
import { type Content, makeContent } from './content.ts';
import { knownPages } from './known-pages.ts';
import { type ServedUi, serveUi } from './served-ui.ts';

const adminRole = 1;

let system: TestSystem;
let receiver: TestReceiver;
let content: Content;
let ui: ServedUi;
let browser: Browser;
let browsing: Browsing;

describe('in a browser', { timeout: 400_000 }, () => {
  beforeAll(async () => {
    [system, receiver] = await Promise.all([startSystem(), startReceiver()]);
    content = await makeContent(system, receiver);
    ui = await serveUi(system.url);
    browser = await launchChromium();
    browsing = await openUi(browser, ui.url, await addPerson(system, adminRole));
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await ui?.stop();
    await receiver?.close();
    await system?.stop();
  });

  test('no page of the UI has a call without an answer', async () => {
    const pages = knownPages(content);
    const seen = new Set<string>(pages.map(withoutQuery));
    const t0 = Date.now();
    for (const path of pages) {
      const t = Date.now();
      for (const link of await browsing.visit(path)) {
        if (seen.has(withoutQuery(link))) continue;
        seen.add(withoutQuery(link));
        pages.push(link);
      }
      console.log(path, '->', await browsing.page.title(), Date.now() - t);
      await browsing.page.screenshot({
        path: '/tmp/publicui/shots/t' + path.replace(/[^a-z0-9]+/gi, '_').slice(0, 90) + '.png',
      });
    }
    console.log('pages', pages.length, Date.now() - t0);
    expect(browsing.faults).toEqual([]);
  });
});

function withoutQuery(path: string): string {
  return path.replace(/[?#].*/, '');
}
