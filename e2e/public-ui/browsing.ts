import { eventually, type TestPerson } from '@yardarm/testing';
import type { Browser, Page } from 'playwright-core';

/** How long no request has to be under way until a page is taken for loaded. */
const quietMs = 250;

const maxLoadingMs = 5_000;

/** What the UI shows where it has a fault, an unknown address, or data that it could not get. */
const troubles = /something went wrong|Oops|Error fetching|unexpected error|Failed to/i;

export interface Browsing {
  page: Page;
  /** What went wrong, each with the page on which it did. */
  faults: string[];
  /** Shows a page, waits until it is loaded, and returns the addresses that it links to. */
  visit(path: string): Promise<string[]>;
  /** Waits until no request is under way and nothing is a placeholder. */
  loaded(): Promise<void>;
}

/** Opens the UI in a window of its own, with the session of the person, and watches all that it does. */
export async function openUi(browser: Browser, url: string, person: TestPerson): Promise<Browsing> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 }, acceptDownloads: true });
  // Pictures of people, from another host. There is none in a test.
  await context.route(
    ({ origin }) => origin !== url,
    (route) => route.fulfill({ contentType: 'image/svg+xml', body: '<svg/>' }),
  );
  const page = await context.newPage();
  const underWay = new Set<unknown>();
  let lastChange = Date.now();
  const faults: string[] = [];
  const fault = (what: string) => faults.push(`${page.url().replace(url, '')}: ${what}`);
  page.on('request', (request) => {
    underWay.add(request);
    lastChange = Date.now();
  });
  const ended = (request: unknown) => {
    underWay.delete(request);
    lastChange = Date.now();
  };
  page.on('requestfinished', ended);
  page.on('requestfailed', (request) => {
    ended(request);
    fault(`${request.method()} ${request.url().replace(url, '')} has no answer: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status < 400) return;
    // The UI does not read these answers, so the request would never be finished.
    ended(response.request());
    fault(`${status} for ${response.request().method()} ${response.url().replace(url, '')}`);
  });
  page.on('pageerror', ({ message }) => fault(`error: ${message}`));
  page.on('console', (message) => {
    // A status beyond 400 is among the faults already.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      fault(`console: ${message.text()}`);
  });

  const loaded = () =>
    eventually(async () => {
      await page.evaluate(idle);
      if (underWay.size > 0 || Date.now() - lastChange < quietMs) throw new Error('The page is still loading.');
      if ((await page.locator('.skeleton, .MuiSkeleton-root').count()) > 0)
        throw new Error('The page has placeholders.');
    }, maxLoadingMs);
  await context.addCookies([{ url, ...cookieOf(person) }]);
  await page.goto(url);
  await loaded();
  return {
    page,
    faults,
    loaded,
    async visit(path) {
      lastChange = Date.now();
      await page.evaluate(`(${navigate})(${JSON.stringify(['/nowhere', path])})`);
      await loaded().catch((error: Error) => fault(error.message));
      const links: string[] = await page.evaluate(linkedPaths);
      const trouble = troubles.exec(await page.locator('body').innerText());
      if (trouble) {
        fault(`the page says "${trouble[0]}"`);
        // An error of the UI stays until the page is loaded anew.
        await page.goto(url);
        await loaded();
      }
      return links;
    },
  };
}

function cookieOf({ cookie }: TestPerson): { name: string; value: string } {
  const [name = '', value = ''] = cookie.split('=');
  return { name, value };
}

// These run in the browser.
/** Ends when the page has rendered what it got. */
const idle = 'new Promise((resolve) => requestIdleCallback(resolve))';
const navigate = `(paths) => {
  for (const path of paths) {
    history.pushState({}, '', path);
    dispatchEvent(new PopStateEvent('popstate'));
  }
}`;
const linkedPaths = `[...document.querySelectorAll('a[href^="/"]')].map((link) => link.getAttribute('href'))`;
