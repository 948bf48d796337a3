import { type Browser, launch } from 'puppeteer-core';
import { installedFile } from '../debian-package.ts';

/** As `launchChromium`, for Firefox ESR. It is driven by WebDriver BiDi, which playwright does not speak. */
export function launchFirefox(): Promise<Browser> {
  const executablePath = installedFile(['/usr/bin/firefox-esr', '/usr/bin/firefox'], 'firefox-esr');
  if (executablePath === undefined) throw new Error('These tests need Firefox in /usr/bin.');
  return launch({ browser: 'firefox', executablePath, headless: true });
}
