import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { watchPage, watchPolicy } from './watch-page.ts';

/** How long one step of a page may take on a machine under load. */
export const waitMs = 90_000;

export interface WatchedPage {
  page: Page;
  /** What the page must not do, as `watchPage` notes it. */
  faults: string[];
}

/** Opens a page in a browser profile of its own and notes what it does. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions): Promise<WatchedPage> {
  const faults: string[] = [];
  const note = (fault: string) => faults.push(fault);
  const context = await browser.newContext(options);
  context.setDefaultTimeout(waitMs);
  await watchPolicy(context, note);
  const page = await context.newPage();
  watchPage(page, new URL(url).origin, note);
  await page.goto(url);
  return { page, faults };
}
