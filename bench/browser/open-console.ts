// A console in Chromium: that of Yardarm or of unleash-server, with the session of an administrator.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { launchChromium } from '@yardarm/testing/browser';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Api } from '../system/api.ts';

export interface Product {
  url: string;
  api: Api;
}

const inPage = readFileSync(path.resolve(import.meta.dirname, 'in-page.js'), 'utf8');

const admin = { username: 'bench-admin', password: 'Bench-Pass-2719-word!' };

/** Some page of a slow machine takes this long. */
const stepLimitMs = 60_000;

export interface ConsoleInBrowser {
  /** Opens a path in a profile without a cache. */
  open(path: string, prepare?: (page: Page) => Promise<void>): Promise<Page>;
  close(): Promise<void>;
}

/** Logs in and starts a browser. Each page has the functions of `in-page.js`. */
export async function openConsole(product: Product): Promise<ConsoleInBrowser> {
  const cookie = await logIn(product);
  const browser: Browser = await launchChromium();
  let context: BrowserContext | undefined;
  return {
    async open(address, prepare = async () => {}) {
      await context?.close();
      context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
      context.setDefaultTimeout(stepLimitMs);
      await context.addCookies([{ ...cookie, url: product.url }]);
      await context.addInitScript(inPage);
      const page = await context.newPage();
      await prepare(page);
      await page.goto(product.url + address, { waitUntil: 'commit' });
      return page;
    },
    close: () => browser.close(),
  };
}

/** The person is made once in the data of a product. */
async function logIn({ url, api }: Product): Promise<{ name: string; value: string }> {
  const login = () =>
    fetch(`${url}/auth/simple/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(admin),
    });
  let answer = await login();
  if (!answer.ok) {
    await api.call('POST', '/api/admin/user-admin', { ...admin, name: 'Bench', rootRole: 1, sendEmail: false });
    answer = await login();
  }
  const [text] = answer.headers.getSetCookie();
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(text ?? '') ?? [];
  if (!answer.ok || !name || !value) throw new Error(`the login answered ${answer.status} without a cookie`);
  return { name, value };
}
