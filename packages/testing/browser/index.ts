export { findBarriers } from './axe.ts';
export { launchChromium } from './chromium.ts';
export { openIn, openPage, openProfile, waitMs } from './open-page.ts';
