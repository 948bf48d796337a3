import { type Browser, chromium } from 'playwright-core';
import { installedFile } from '../debian-package.ts';

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of this machine's browser. As root on Debian or Ubuntu it is installed. Throws if there is none. */
export function installedChromium(): string {
  const found = installedFile(paths, 'chromium');
  if (found === undefined) throw new Error('These tests need Chromium or Chrome in /usr/bin.');
  return found;
}

export function launchChromium(): Promise<Browser> {
  const executablePath = installedChromium();
  // The sandbox of Chromium needs rights that a container does not have. The pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
