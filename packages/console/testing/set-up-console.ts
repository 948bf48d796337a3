import type { TestPerson, TestSystem } from '@yardarm/testing';
import { launchChromium, openIn, openProfile } from '@yardarm/testing/browser';
import { startSystem } from '@yardarm/testing/system';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';

/** The ids of the root roles that every system has. */
export const rootRoles = { admin: 1, editor: 2, viewer: 3 } as const;

export const sizes = {
  desk: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const;

export interface OpenOptions {
  /** Whose session the browser has; nobody's unless given. */
  as?: Pick<TestPerson, 'cookie'>;
  size?: keyof typeof sizes;
  theme?: 'light' | 'dark';
  /** Further options of the browser, such as `locale`. */
  browser?: BrowserContextOptions;
}

/** The console of a system in a browser. */
export interface TestConsole {
  readonly system: TestSystem;
  readonly browser: Browser;
  /** Opens a path of the console in a browser profile of its own. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** Opens a path in another tab of the same profile. */
  openBeside(page: Page, path: string): Promise<Page>;
  /** Expects this fault of `watchPage` in the rest of the test, such as `403 POST /api/admin/...`. */
  allow(fault: RegExp): void;
}

/**
 * Starts a system with the built console and a browser for the tests of this file. Each test ends with the profiles
 * that it opened, and fails if a page did what `watchPage` notes and the test does not allow.
 */
export function setUpConsole(environment: Record<string, string> = {}): TestConsole {
  let system: TestSystem;
  let browser: Browser;
  let profiles: BrowserContext[] = [];
  let faults: string[] = [];
  let allowed: RegExp[] = [];
  const note = (fault: string) => void faults.push(fault);

  beforeAll(async () => {
    system = await startSystem({ CONSOLE_DIR: inject('consoleDir'), ...environment });
    browser = await launchChromium();
    // A browser that is not there is installed first.
  }, 240_000);

  afterEach(async () => {
    // What a page does until it is closed is of this test.
    await Promise.all(profiles.map((profile) => profile.close()));
    const found = faults.filter((fault) => !allowed.some((pattern) => pattern.test(fault)));
    [profiles, faults, allowed] = [[], [], []];
    if (found.length > 0) throw new Error(`A page did what it must not:\n${found.join('\n')}`);
  });

  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  return {
    get system() {
      return system;
    },
    get browser() {
      return browser;
    },
    async open(path, { as, size = 'desk', theme = 'light', browser: further } = {}) {
      const profile = await openProfile(browser, note, {
        ...{ ...sizes[size], colorScheme: theme, reducedMotion: 'reduce', locale: 'en-GB' },
        ...further,
      });
      profiles.push(profile);
      // The console asks who is logged in.
      if (as === undefined) allowed.push(/^401 GET \/api\/admin\/user$/);
      else await profile.addCookies([cookieOf(as.cookie, system.url)]);
      return openIn(profile, system.url + path, note);
    },
    openBeside: (page, path) => openIn(page.context(), system.url + path, note),
    allow: (fault) => void allowed.push(fault),
  };
}

function cookieOf(text: string, url: string) {
  const separator = text.indexOf('=');
  return { name: text.slice(0, separator), value: text.slice(separator + 1), url };
}
