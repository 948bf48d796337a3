// Every screen in both themes, on a desk and on a phone: no barrier that axe-core finds, no scrolling sideways, and a
// picture to look at in the folder that YARDARM_SCREENSHOTS names.
import { addPerson, addServiceAccount, administer, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { screenshotsFolder } from '../testing/options.ts';
import { screens } from '../testing/screens.ts';
import { rootRoles, setUpConsole, sizes } from '../testing/set-up-console.ts';
import { addEndpoint, sendSignal } from '../testing/signals.ts';

const tested = setUpConsole();
let admin: TestPerson;

beforeAll(async () => {
  admin = await addPerson(tested.system, rootRoles.admin);
  const features = '/api/admin/projects/default/features';
  for (let number = 1; number <= 30; number++) {
    await administer(tested.system, 'POST', features, { name: `checkout-${number}`, description: 'Pays by card' });
  }
  for (const environment of ['development', 'production']) {
    await administer(tested.system, 'POST', `${features}/checkout-1/environments/${environment}/on`);
  }
  await administer(tested.system, 'POST', '/api/admin/segments', {
    name: 'beta-users',
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['12', '77'] }],
  });
  await administer(tested.system, 'POST', '/api/admin/projects/default/context', { name: 'basket' });
  const stale = { features: ['checkout-29', 'checkout-30'], stale: true };
  await administer(tested.system, 'POST', '/api/admin/projects/default/stale', stale);
  const parameters = { url: 'http://127.0.0.1:9/' };
  const webhook = { provider: 'webhook', enabled: true, events: ['feature-created'], parameters };
  await administer(tested.system, 'POST', '/api/admin/addons', webhook);
  const { endpoint, token } = await addEndpoint(tested.system, 'alerts');
  const account = await addServiceAccount(tested.system, rootRoles.editor);
  await administer(tested.system, 'POST', '/api/admin/projects/default/actions', {
    ...{ name: 'Off at an alert', actorId: account.id },
    match: {
      source: 'signal-endpoint',
      sourceId: endpoint.id,
      payload: { status: { operator: 'IN', values: ['firing'] } },
    },
    actions: [
      {
        ...{ action: 'TOGGLE_FEATURE_OFF', sortOrder: 1 },
        executionParams: { project: 'default', environment: 'production', featureName: 'checkout-1' },
      },
    ],
  });
  await sendSignal(tested.system, token, 'alerts', { status: 'firing', labels: { severity: 'critical' } });
  await tested.system.processAll();
}, 120_000);

const cases = (['desk', 'phone'] as const).flatMap((size) =>
  (['light', 'dark'] as const).flatMap((theme) => screens.map((screen) => [...screen, size, theme] as const)),
);

test.each(cases)('%s (%s, "%s") on a %s, %s', async (name, path, heading, size, theme) => {
  const page = await tested.open(path, { as: admin, size, theme });
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  await expect.poll(() => page.getByText('Loading').count()).toBe(0);
  if (screenshotsFolder) await page.screenshot({ path: `${screenshotsFolder}/${name}-${size}-${theme}.png` });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(sizes[size].viewport.width);
  // Also with the spacing that people may set (WCAG 1.4.12), which is wider than any usual font.
  await page.evaluate(
    "Object.assign(document.documentElement.style, { letterSpacing: '.12em', wordSpacing: '.16em' })",
  );
  expect(await page.evaluate('scrollTo(1000, 0), scrollX')).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
});

test.each(['light', 'dark'] as const)('the login, %s', async (theme) => {
  const page = await tested.open('/', { theme });
  await page.getByLabel('Password').waitFor();
  if (screenshotsFolder) await page.screenshot({ path: `${screenshotsFolder}/login-desk-${theme}.png` });
  expect(await findBarriers(page)).toEqual([]);
});
