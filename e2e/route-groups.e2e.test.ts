// Gateways that serve one group of routes each, beside one that serves all of them. The group `console` has no
// operation (services/gateway/pages/console/console.int.test.ts).
import { connectBus } from '@yardarm/shared/bus';
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const groups = ['admin', 'sdk', 'signals'] as const;
type Group = (typeof groups)[number];

let system: TestSystem;
const urls = {} as Record<Group, string>;
/** The requests and hints that a gateway sent or subscribed to. */
const used = {} as Record<Group, Set<string>>;

beforeAll(async () => {
  system = await startSystem();
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'shown' } });
  await system.processAll();
  for (const group of groups) {
    const names = new Set<string>();
    used[group] = names;
    urls[group] = await system.addGateway(
      {
        async connectBus(options) {
          const bus = await connectBus(options);
          return {
            ...bus,
            request(contract, ...rest) {
              names.add(contract.name);
              return bus.request(contract, ...rest);
            },
            onHint(hint, ...rest) {
              names.add(hint.name);
              return bus.onHint(hint, ...rest);
            },
          };
        },
      },
      { GATEWAY_ROUTE_GROUPS: group },
    );
  }
});

afterAll(() => system?.stop());

/** `get /api/client/features` for each operation of the documents of a gateway. */
async function operations(url: string): Promise<string[]> {
  const { body } = await system.call('GET', '/docs/openapi.json', { url, token: null });
  const paths = Object.entries(body.paths as Record<string, object>);
  return paths.flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`)).sort();
}

test('each route is in one group', async () => {
  const ofGroups = await Promise.all(groups.map((group) => operations(urls[group])));
  expect(ofGroups.flat().sort()).toEqual(await operations(system.url));
  expect(ofGroups.map((names) => names.length > 0)).toEqual([true, true, true]);
});

test.each(groups)('a gateway for %s answers 404 on the routes of the others, as on unknown paths', async (group) => {
  const url = urls[group];
  const own = new Set(await operations(url));
  const foreign = (await operations(system.url)).filter((name) => !own.has(name));
  for (const name of foreign) {
    const [method, path] = name.split(' ') as [string, string];
    const asked = path.replaceAll(/\{\w+\}/g, 'x');
    const answer = await system.call(method.toUpperCase(), asked, { url });
    const message = `The path ${asked.slice(0, 100)} does not exist for ${method.toUpperCase()}.`;
    expect([name, answer.status, answer.body.message]).toEqual([name, 404, message]);
  }
});

test('a gateway for SDKs answers them, and sends no requests of administrators', async () => {
  const url = urls.sdk;
  const token = system.clientTokens.development;
  expect((await system.call('GET', '/api/client/features', { url, token })).body.features).toMatchObject([
    { name: 'shown' },
  ]);
  const metrics = { appName: 'a', bucket: { start: new Date(), stop: new Date(), toggles: {} } };
  expect((await system.call('POST', '/api/client/metrics', { url, token, body: metrics })).status).toBe(202);
  const edge = await system.call('POST', '/edge/validate', { url, token: null, body: { tokens: [token] } });
  expect(edge.body.tokens).toHaveLength(1);
  expect([...used.sdk].filter((name) => name.startsWith('events.') || name.startsWith('signals.'))).toEqual([]);
});

test('a gateway for administrators answers them without flags of its own, and no preflights', async () => {
  const url = urls.admin;
  const path = '/api/admin/projects/default/features';
  expect((await system.call('POST', path, { url, body: { name: 'made' } })).status).toBe(201);
  const types = await system.call('GET', '/api/admin/feature-types', { url });
  expect(types.body).toEqual((await system.call('GET', '/api/admin/feature-types')).body);
  expect(used.admin).not.toContain('flags.snapshot.fetch');
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
  expect((await system.call('OPTIONS', '/api/frontend', { url, token: null, headers })).status).toBe(404);
});

test('a gateway for signals accepts them without flags', async () => {
  const url = urls.signals;
  const endpoint = await system.call('POST', '/api/admin/signal-endpoints', {
    body: { name: 'alerts', enabled: true },
  });
  const token = await system.call('POST', `/api/admin/signal-endpoints/${endpoint.body.id}/tokens`, {
    body: { name: 'sender' },
  });
  const sent = await system.call('POST', '/api/signal-endpoint/alerts', {
    ...{ url, token: `Bearer ${token.body.token}`, body: { severity: 'high' } },
  });
  expect(sent.status).toBe(200);
  await system.processAll();
  const stored = await system.call('GET', `/api/admin/signal-endpoints/${endpoint.body.id}/signals`);
  expect(stored.body).toMatchObject({ signalEndpointSignals: [{ payload: { severity: 'high' } }] });
  expect([...used.signals].filter((name) => !/^(signals|accounts)\./.test(name))).toEqual([]);
});
