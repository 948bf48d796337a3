import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine, which docs/testing.md names. Undefined where there is none. */
export const chromiumPath = paths.find((path) => existsSync(path));

/** Needs `chromiumPath`. */
export function launchChromium(): Promise<Browser> {
  // The sandbox of Chromium needs rights that a container does not have. The pages are our own.
  return chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });
}

/** How long one step of a page may take on a machine under load. */
const waitMs = 90_000;

export interface WatchedPage {
  page: Page;
  /** What a page must not do: errors and warnings of its console, blocked parts, and requests to other hosts. */
  faults: string[];
}

/** Opens a page and notes what it does. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions): Promise<WatchedPage> {
  const faults: string[] = [];
  const context = await browser.newContext(options);
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== new URL(url).origin) faults.push(`request: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}
