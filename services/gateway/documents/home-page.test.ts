import { version } from '@yardarm/shared/telemetry';
import { expect, test } from 'vitest';
import { route } from '../routing/route.ts';
import { homePage } from './home-page.ts';

const routeOf = (path: string) =>
  route({
    ...{ method: 'get', path, operationId: path, summary: path, tag: 'Things', audience: 'public', errors: [] },
    answer: { status: 200 },
    handle: async () => ({ status: 200 }),
  });

const installation = { publicUrl: 'https://flags.example.com', basePath: '', parts: { nats: null, accounts: null } };
const admin = [routeOf('/api/admin/ui-config'), routeOf('/api/admin/projects/:projectId/features')];
const sdk = [routeOf('/api/client/features')];
const signals = [routeOf('/api/signal-endpoint/:name')];

test('says the version, the services, where an admin UI is, and how to begin at the public address', () => {
  const page = homePage([...admin, ...sdk, ...signals], installation);
  expect(page).toContain(`version ${version}`);
  for (const name of ['gateway', 'flags', 'accounts', 'events', 'integrations', 'signals'])
    expect(page).toContain(`<b>${name}</b>`);
  expect(page).toContain('Where an admin UI is');
  expect(page).toContain('URL=https://flags.example.com\n');
  expect(page).toContain("url: 'https://flags.example.com/api/'");
  expect(page).toContain('https://flags.example.com/api/signal-endpoint/');
  expect(page).toContain('It is ready.');
});

test.each([
  [admin, ['$ADMIN', 'Where an admin UI is']],
  [sdk, ['startUnleash']],
  [signals, ['/api/signal-endpoint/']],
])('shows only what a gateway with some of the routes serves', (routes, shown) => {
  const page = homePage(routes, installation);
  const all = ['$ADMIN', 'Where an admin UI is', 'startUnleash', '/api/signal-endpoint/'];
  expect(all.filter((text) => page.includes(text)).sort()).toEqual([...shown].sort());
});

test('shows what is wrong, and escapes it', () => {
  const parts = { nats: 'cannot reach <nats>', accounts: { degraded: 'has no "key"' }, flags: null };
  const page = homePage(sdk, { ...installation, parts });
  expect(page).toContain('nats: cannot reach &#60;nats&#62;');
  expect(page).toContain('accounts: has no &#34;key&#34;');
  expect(page).not.toContain('It is ready.');
});
