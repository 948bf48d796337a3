import { eventually, type TestPerson } from '@yardarm/testing';
import { waitMs } from '@yardarm/testing/browser';
import type { Browser, Page, Request } from 'playwright-core';

/** How long no request has to be under way until a page is taken for loaded. */
const quietMs = 250;

/** Some pages ask for something again and again. What is shown after this time is what the page shows. */
const maxQuietWaitMs = 3_000;

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

/** Logs the person in by the form of the UI, and watches all that it does then. */
export async function openUi(browser: Browser, url: string, person: TestPerson): Promise<Browsing> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 }, acceptDownloads: true });
  // Pictures of people, from another host. There is none in a test.
  await context.route(
    ({ origin }) => origin !== url,
    (route) => route.fulfill({ contentType: 'image/svg+xml', body: '<svg/>' }),
  );
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  const underWay = new Set<Request>();
  let lastChange = Date.now();
  const faults: string[] = [];
  const fault = (what: string) => faults.push(`${page.url().replace(url, '')}: ${what}`);
  page.on('request', (request) => {
    underWay.add(request);
    lastChange = Date.now();
  });
  const ended = (request: Request) => {
    underWay.delete(request);
    lastChange = Date.now();
  };
  page.on('requestfailed', (request) => {
    // The rest of an answer that nobody reads is dropped.
    if (!underWay.has(request)) return;
    ended(request);
    fault(`${request.method()} ${request.url().replace(url, '')} has no answer: ${request.failure()?.errorText}`);
  });
  // The UI does not read each body, and a request whose body is not read is never finished.
  page.on('response', (response) => {
    ended(response.request());
    const status = response.status();
    if (status >= 400) fault(`${status} for ${response.request().method()} ${response.url().replace(url, '')}`);
  });
  page.on('pageerror', ({ message }) => {
    // The form of a strategy is rendered once more after it was left, and React recovers.
    if (!message.includes('React error #520')) fault(`error: ${message}`);
  });
  page.on('console', (message) => {
    // A status beyond 400 is among the faults already.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      fault(`console: ${message.text()}`);
  });

  const loaded = async () => {
    const start = Date.now();
    await eventually(async () => {
      await page.evaluate(idle);
      const paths = [...underWay].map((request) => request.url().replace(url, ''));
      if (paths.length > 0) throw new Error(`still loading ${paths.join(' ')}`);
      const now = Date.now();
      if (now - lastChange < quietMs && now - start < maxQuietWaitMs) throw new Error('still sends requests');
      if ((await page.locator('.skeleton, .MuiSkeleton-root').count()) > 0) throw new Error('shows placeholders');
    });
  };
  await page.goto(url);
  await page.locator('input[type=text]').fill(person.username);
  await page.locator('input[type=password]').fill(person.password);
  await page.locator('button[type=submit]').click();
  await page.waitForURL('**/personal');
  await loaded();
  // Before the login everything is 401.
  faults.length = 0;
  // The UI keeps the refusals until it is loaded anew.
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
