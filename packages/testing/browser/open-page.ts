import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { watchPage, watchPolicy } from './watch-page.ts';

/** How long one step of a page may take on a machine under load. */
export const waitMs = 90_000;

type Note = (fault: string) => void;

/** Opens a browser profile of its own. What the policy of its pages forbids is noted. */
export async function openProfile(
  browser: Browser,
  note: Note,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const profile = await browser.newContext(options);
  profile.setDefaultTimeout(waitMs);
  await watchPolicy(profile, note);
  return profile;
}

/** Opens a page in a profile. What it must not do is noted. */
export async function openIn(profile: BrowserContext, url: string, note: Note): Promise<Page> {
  const page = await profile.newPage();
  watchPage(page, new URL(url).origin, note);
  await page.goto(url);
  return page;
}

/** Opens a page in a profile of its own, with a list of what it does that it must not do. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
): Promise<{ page: Page; faults: string[] }> {
  const faults: string[] = [];
  const note = (fault: string) => void faults.push(fault);
  const profile = await openProfile(browser, note, options);
  return { page: await openIn(profile, url, note), faults };
}
