import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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
