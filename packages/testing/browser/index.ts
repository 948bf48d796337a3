export { findBarriers } from './axe.ts';
export { launchChromium } from './chromium.ts';
export { openPage, type WatchedPage, waitMs } from './open-page.ts';
export { watchPage, watchPolicy } from './watch-page.ts';
