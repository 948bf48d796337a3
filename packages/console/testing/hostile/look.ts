import type { Locator, Page } from 'playwright-core';
import { sizes } from '../set-up-console.ts';
import { lookInPage } from './look-in-page.js';
import { fieldsIn } from './texts.ts';

/** What was seen of a page. */
export interface Look {
  /** What a hostile text has done to it. */
  faults: Set<string>;
  /** The fields whose texts it shows. */
  fields: Set<string>;
}

/** Opens what the page folds up, its menus and its dialogs, and looks at each of them. */
export async function lookAt(page: Page): Promise<Look> {
  const look: Look = { faults: new Set(), fields: new Set() };
  page.on('dialog', (dialog) => {
    look.faults.add(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.locator('h1, main h2, main [role="alert"]').first().waitFor();
  await unlessLoading(page);
  await note(page, look);
  await pressAll(page.locator('main summary'));
  await pressAll(page.locator('main [aria-expanded="false"]:not([aria-haspopup])'));
  await unlessLoading(page);
  await note(page, look);
  for (const control of await controlsOf(page)) {
    await control.click();
    await page.locator('[role="dialog"], [role="menu"]').first().waitFor();
    await unlessLoading(page);
    await note(page, look);
    await page.keyboard.press('Escape');
    await page.locator('[role="dialog"], [role="menu"]').first().waitFor({ state: 'detached' });
  }
  return look;
}

/** What opens a menu or a dialog, the first of each kind. Banners are outside of the main part. */
async function controlsOf(page: Page): Promise<Locator[]> {
  const names = [/^Delete/, /^What to do with/, /^More$/, /banner-link/];
  const found = names.map((name) => page.getByRole('button', { name, disabled: false }).first());
  const open: Locator[] = [];
  for (const control of found) {
    if ((await control.count()) > 0) open.push(control);
  }
  return open;
}

async function note(page: Page, look: Look): Promise<void> {
  for (const [name, { viewport }] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    // A script gives an open menu its new place with the next frame.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    const { faults, shown } = await page.evaluate(lookInPage);
    for (const fault of faults) look.faults.add(`on a ${name}: ${fault}`);
    for (const field of fieldsIn(shown)) look.fields.add(field);
  }
}

async function pressAll(controls: Locator): Promise<void> {
  for (const control of (await controls.all()).slice(0, 8)) {
    if (await control.isVisible()) await control.click();
  }
}

const unlessLoading = (page: Page) => page.getByText('Loading').first().waitFor({ state: 'detached' });
