import { type Browser, launch } from 'puppeteer-core';
import { installedBrowser } from './installed-browser.ts';

/** As `launchChromium`, for Firefox ESR. It is driven by WebDriver BiDi, which playwright does not speak. */
export function launchFirefox(): Promise<Browser> {
  const executablePath = installedBrowser(['/usr/bin/firefox-esr', '/usr/bin/firefox'], 'firefox-esr');
  if (executablePath === undefined) throw new Error('These tests need Firefox in /usr/bin.');
  return launch({ browser: 'firefox', executablePath, headless: true });
}
