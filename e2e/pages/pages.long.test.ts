// The page of /docs in a browser, with and without a base path.
import { eventually, type TestSystem } from '@yardarm/testing';
import { launchChromium, openPage } from '@yardarm/testing/browser';
import { startSystem } from '@yardarm/testing/system';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let system: TestSystem;
let browser: Browser;
/** The addresses of a gateway without a base path, and of one with it. */
let urls: { plain: string; based: string };

const sizes = [
  ['a desk', { viewport: { width: 1440, height: 900 } }],
  ['a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const;

/** In the browser: a page that is wider than its window is scrolled sideways. */
const scrollWidth = 'document.documentElement.scrollWidth';

// The times are for a machine under load: Swagger UI takes seconds of CPU.
describe('in a browser', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    system = await startSystem();
    const based = await system.addGateway({}, { BASE_URI_PATH: '/our/flags' });
    urls = { plain: system.url, based: `${based}/our/flags` };
    browser = await launchChromium();
    // A browser that is not there is installed first.
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  test.each(sizes)('/docs on %s has contents, a search, and operations with bodies', async (_, size) => {
    const { page, faults } = await openPage(browser, `${urls.plain}/docs`, size);
    await page.waitForSelector('.opblock-tag');
    expect(await page.locator('.info').innerText()).toContain('Administrators send');
    if (size.viewport.width < 960) await page.click('#contents > summary');
    await page.fill('#contents input', 'post banners');
    const found = page.locator('#contents li:visible');
    await eventually(async () =>
      expect(await found.locator('code').allInnerTexts()).toEqual([
        'POST /api/admin/banners',
        'POST /api/admin/banners/{id}/on',
        'POST /api/admin/banners/{id}/off',
      ]),
    );
    await found.locator('a').first().click();
    const operation = page.locator('#operations-Banners-createBanner');
    await operation.locator('.body-param__example').waitFor();
    expect(page.url()).toBe(`${urls.plain}/docs#/Banners/createBanner`);
    const text = await operation.innerText();
    expect(text).toContain('UPDATE_INSTANCE_BANNERS');
    expect(text).toContain('"message": "**Reminder**: maintenance is scheduled for *2026-12-27*."');
    expect(text).toContain('ExceedsLimitError');
    expect(await page.evaluate(scrollWidth)).toBe(size.viewport.width);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('an address of /docs leads to its operation, whose example runs with a token and is shown for curl', async () => {
    const { page, faults } = await openPage(browser, `${urls.based}/docs#/Tags/createTagType`, sizes[0][1]);
    await page.click('.auth-wrapper .authorize');
    await page.locator('.auth-container', { hasText: 'apiKey' }).first().locator('input').fill(system.adminToken);
    await page.locator('.auth-container .authorize').first().click();
    await page.click('.close-modal');
    const operation = page.locator('#operations-Tags-createTagType');
    await operation.locator('.try-out__btn').click();
    await operation.locator('textarea').fill('{"name":"tried-out"}');
    await operation.locator('.execute').click();
    await operation.locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor();
    expect(await operation.locator('.curl-command').innerText()).toContain(`${urls.based}/api/admin/tag-types`);
    expect(await system.call('GET', '/api/admin/tag-types/tried-out')).toMatchObject({ status: 200 });
    await page.evaluate("location.hash = '#/Segments/getSegments'");
    await page.locator('#operations-Segments-getSegments .opblock-body').waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
