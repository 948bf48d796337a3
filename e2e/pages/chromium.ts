import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const installed = () => paths.find((path) => existsSync(path));

/** Takes the browser of this machine. As root on Debian or Ubuntu it installs one; elsewhere it throws. */
export function launchChromium(): Promise<Browser> {
  if (installed() === undefined && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-qq', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
  }
  const executablePath = installed();
  if (executablePath === undefined) throw new Error('These tests need Chromium or Chrome in /usr/bin.');
  // The sandbox of Chromium needs rights that a container does not have. The pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** How long one step of a page may take on a machine under load. */
export const waitMs = 90_000;

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
