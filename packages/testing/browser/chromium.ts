import { type Browser, chromium } from 'playwright-core';
import { installedBrowser } from './installed-browser.ts';

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Takes the browser of this machine. As root on Debian or Ubuntu it installs one; elsewhere it throws. */
export function launchChromium(): Promise<Browser> {
  const executablePath = installedBrowser(paths, 'chromium');
  if (executablePath === undefined) throw new Error('These tests need Chromium or Chrome in /usr/bin.');
  // The sandbox of Chromium needs rights that a container does not have. The pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
