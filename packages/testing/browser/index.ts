export { findBarriers } from './axe.ts';
export { installedChromium, launchChromium } from './chromium.ts';
export { openIn, openPage, openProfile, waitMs } from './open-page.ts';
