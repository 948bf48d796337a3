// Every screen in both themes, on a desk and on a phone: no barrier that axe-core finds, no scrolling sideways, and a
// picture to look at in the folder that YARDARM_SCREENSHOTS names.
import { addPerson, addServiceAccount, administer, type TestPerson } from '@yardarm/testing';
import { findBarriers } from '@yardarm/testing/browser';
import { beforeAll, expect, test } from 'vitest';
import { screenshotsFolder } from '../testing/options.ts';
import { rootRoles, setUpConsole, sizes } from '../testing/set-up-console.ts';
import { addEndpoint, sendSignal } from '../testing/signals.ts';

const tested = setUpConsole();
let admin: TestPerson;

const checkout = '/projects/default/features/checkout-1';

/** The path of each screen, and the heading that shows that it has loaded. A new screen is a line here. */
const screens: [name: string, path: string, heading: string][] = [
  ['home', '/', 'Home'],
  ['flags', '/features', 'Flags'],
  ['flags-none', '/features?q=nothing-has-this-name', 'Flags'],
  ['flag', checkout, 'checkout-1'],
  ['flag-usage', `${checkout}/usage?hours=48`, 'checkout-1'],
  ['flag-variants', `${checkout}/environments/production/variants`, 'Variants in production'],
  ['flag-history', `${checkout}/history?at=${new Date(Date.now() + 3_600_000).toISOString()}`, 'checkout-1'],
  ['strategy', `${checkout}/environments/development/strategies/new`, 'Add a strategy in development'],
  ['events', '/events', 'Event log'],
  ['playground', '/playground', 'Playground'],
  ['integrations', '/integrations', 'Integrations'],
  ['integration-new', '/integrations/new/webhook', 'New integration'],
  ['integration', '/integrations/1', 'Webhook'],
  ['integration-settings', '/integrations/1?view=settings', 'Webhook'],
  ['signals', '/signals', 'Signals'],
  ['signal-endpoints', '/signals/endpoints', 'Signal endpoints'],
  ['signal-endpoint', '/signals/endpoints/1', 'alerts'],
  ['action-sets', '/projects/default/actions', 'Default'],
  ['action-set-new', '/projects/default/actions/new', 'New action set'],
  ['welcome', '/welcome', 'Connect an SDK'],
  ['welcome-waiting', '/welcome?project=default&flag=checkout-1&token=none', 'Connect an SDK'],
  ['projects', '/projects', 'Projects'],
  ['project', '/projects/default', 'Default'],
  ['projects-archived', '/projects?archived=true', 'Projects'],
  ['project-settings', '/projects/default/settings', 'Default'],
  ['project-environments', '/projects/default/environments', 'Default'],
  ['project-segments', '/projects/default/segments', 'Default'],
  ['project-context', '/projects/default/context', 'Default'],
  ['project-context-field-new', '/projects/default/new-context-field', 'New context field'],
  ['default-strategy', '/projects/default/environments/production/default-strategy', 'Default strategy in production'],
  ['project-transfer', '/projects/default/transfer', 'Default'],
  ['staleness', '/staleness', 'Staleness'],
  ['segments', '/segments', 'Segments'],
  ['segment', '/segments/1', 'beta-users'],
  ['segment-new', '/segments/new', 'New segment'],
  ['environments', '/environments', 'Environments'],
  ['context-fields', '/context-fields', 'Context fields'],
  ['context-field', '/context-fields/userId', 'userId'],
  ['context-field-new', '/new-context-field', 'New context field'],
  ['tag-types', '/tag-types', 'Tag types'],
  ['flag-types', '/feature-types', 'Flag types'],
  ['signals-none', '/signals?ran=no', 'Signals'],
  ['api-tokens', '/admin/api', 'API tokens'],
  ['users', '/admin/users', 'Users'],
  ['service-accounts', '/admin/service-accounts', 'Service accounts'],
  ['groups', '/admin/groups', 'Groups'],
  ['roles', '/admin/roles', 'Roles'],
  ['role-new', '/admin/roles/new', 'New role'],
  ['access', '/admin/access?of=1', 'Access'],
  ['project-access', '/projects/default/access', 'Default'],
  ['settings', '/admin/settings', 'Settings'],
  ['banners', '/admin/banners', 'Banners'],
  ['status', '/admin/status', 'Status'],
  ['personal-tokens', '/profile/personal-api-tokens', 'Your personal tokens'],
  ['action-set', '/projects/default/actions/1?signal=1', 'Off at an alert'],
];

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
  expect(await findBarriers(page)).toEqual([]);
});

test.each(['light', 'dark'] as const)('the login, %s', async (theme) => {
  const page = await tested.open('/', { theme });
  await page.getByLabel('Password').waitFor();
  if (screenshotsFolder) await page.screenshot({ path: `${screenshotsFolder}/login-desk-${theme}.png` });
  expect(await findBarriers(page)).toEqual([]);
});
