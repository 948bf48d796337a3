// A base path, behind a proxy that keeps it and one that removes it: routes, links, locations, cookies and streams.
import { openEventStream, startReceiver, type TestReceiver, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let system: TestSystem;
let receiver: TestReceiver;
const publicUrl = 'https://example.com/our/flags';

beforeAll(async () => {
  receiver = await startReceiver();
  system = await startSystem({
    ...{ UNLEASH_URL: 'https://example.com', BASE_URI_PATH: '/our/flags/', TRUST_PROXY: '1' },
    INTEGRATIONS_SLACK_API_URL: receiver.url,
  });
});

afterAll(async () => {
  await system?.stop();
  await receiver?.close();
});

// The first proxy keeps the base path, the second one removes it.
describe.each(['/our/flags', ''])('a request whose path begins with %j', (prefix) => {
  const asSdk = () => ({ authorization: system.clientTokens.development });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${system.url}${prefix}${path}`, { headers, redirect: 'manual' });

  test('of an SDK is answered from memory and by Express, and its stream opens', async () => {
    const listing = await get('/api/client/features', asSdk());
    expect(await listing.json()).toMatchObject({ version: 2, features: expect.any(Array) });
    const filtered = await get('/api/client/features?project=default', asSdk());
    expect(await filtered.json()).toMatchObject({ version: 2 });
    const stream = await openEventStream(`${system.url}${prefix}/api/client/streaming`, asSdk());
    expect(await stream.waitFor(1)).toMatchObject({ event: 'unleash-connected' });
    stream.close();
  });

  test('of OpenFeature names a stream with the base path, which opens', async () => {
    const answer = await fetch(`${system.url}${prefix}/ofrep/v1/evaluate/flags`, {
      method: 'POST',
      headers: { ...asSdk(), 'content-type': 'application/json' },
      body: JSON.stringify({ context: { targetingKey: '7' } }),
    });
    const { eventStreams } = (await answer.json()) as { eventStreams: { endpoint: { requestUri: string } }[] };
    const { endpoint } = eventStreams[0]!;
    expect(endpoint.requestUri).toMatch(/^\/our\/flags\/ofrep\/v1\/events\?ticket=/);
    const stream = await openEventStream(system.url + endpoint.requestUri, {});
    expect(stream.status).toBe(200);
    stream.close();
  });

  test('that creates something is answered with a location under the base path', async () => {
    const name = `made${prefix.length}`;
    const made = await system.call('POST', `${prefix}/api/admin/tag-types`, { body: { name } });
    expect(made.headers.get('location')).toBe(`/our/flags/api/admin/tag-types/${name}`);
    const found = await fetch(system.url + made.headers.get('location'), {
      headers: { authorization: system.adminToken },
    });
    expect(found.status).toBe(200);
  });

  test('of a browser gets a cookie for the base path, redirects under it, and the path of the login', async () => {
    const login = await system.call('POST', `${prefix}/auth/simple/login`, {
      token: null,
      body: { username: 'admin', password: system.adminPassword },
      headers: { 'x-forwarded-proto': 'https' },
    });
    const cookie = login.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^__Secure-yardarm-session=.*; Path=\/our\/flags; HttpOnly; SameSite=Lax; Secure$/);
    const byBrowser = { cookie: cookie.split(';')[0]!, 'x-forwarded-proto': 'https', accept: 'text/html' };
    expect((await get('/api/admin/user', byBrowser)).status).toBe(200);
    const logout = await fetch(`${system.url}${prefix}/logout`, { headers: byBrowser, redirect: 'manual' });
    expect(logout).toMatchObject({ status: 302 });
    expect(logout.headers.get('location')).toBe('/our/flags/');
    expect(logout.headers.get('set-cookie')).toContain('Path=/our/flags;');
    const refused = await get('/api/admin/user', byBrowser);
    expect(await refused.json()).toMatchObject({
      name: 'AuthenticationRequired',
      path: '/our/flags/auth/simple/login',
    });
  });

  test('for the documents and the UI configuration is answered with the base path', async () => {
    expect(await (await get('/docs/openapi.json')).json()).toMatchObject({ servers: [{ url: '/our/flags' }] });
    const page = await (await get('/docs')).text();
    expect((await get('/')).headers.get('location')).toBe('/our/flags/docs');
    const links = [...page.matchAll(/ (?:src|href|data-document)="([^"#]+)"/g)].map(([, link]) => link!);
    expect(new Set(links).size).toBeGreaterThan(6);
    for (const link of new Set(links)) {
      expect(link).toMatch(/^\/our\/flags\//);
      expect([link, (await fetch(system.url + link)).status]).toEqual([link, 200]);
    }
    const config = await system.call('GET', `${prefix}/api/admin/ui-config`);
    expect(config.body).toMatchObject({ baseUriPath: '/our/flags', unleashUrl: publicUrl });
  });
});

test.each(['/our/flagship/health', '/our', '/our/flags/our/flags/health'])('%s does not exist', async (path) => {
  expect((await fetch(system.url + path)).status).toBe(404);
});

test('links of answers and of messages have the base path', async () => {
  const body = { username: 'ann', email: 'ann@example.com', rootRole: 'Viewer' };
  const user = await system.call('POST', '/api/admin/user-admin', { body });
  expect(user.body.inviteLink).toMatch(/^https:\/\/example\.com\/our\/flags\/new-user\?token=/);
  const events = ['feature-created'];
  const app = { accessToken: 'xoxb-1', defaultChannels: 'flags' };
  const slack = { provider: 'slack-app', enabled: true, parameters: app, events };
  const text = { url: `${receiver.url}/webhook`, bodyTemplate: '{"text":"{{{event.summary}}}{{{eventMarkdown}}}"}' };
  const webhook = { provider: 'webhook', enabled: true, parameters: text, events };
  for (const addon of [slack, webhook]) await system.call('POST', '/api/admin/addons', { body: addon });
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'linked' } });
  await system.processAll();
  expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/chat.postMessage', '/webhook']);
  for (const { body } of receiver.received) expect(body).toContain(`${publicUrl}/projects/default/features/linked`);
});
