import { installedChromium } from '@yardarm/testing/browser';

/** Installs Chromium before the first file with tests in a browser. Files that ran at once would each install it. */
export function setup(): void {
  installedChromium();
}
