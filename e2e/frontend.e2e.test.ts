// The frontend API and OFREP, used by their own clients and by browsers' rules.
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature as OpenFeatureServer } from '@openfeature/server-sdk';
import { OpenFeature as OpenFeatureWeb } from '@openfeature/web-sdk';
import { eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { InMemoryStorageProvider, UnleashClient } from 'unleash-proxy-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let system: TestSystem;
let frontendToken: string;

const features = '/api/admin/projects/default/features';
const strategies = (flag: string) => `${features}/${flag}/environments/development/strategies`;

async function admin(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await system.call(method, path, body === undefined ? {} : { body });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
}

async function makeFlag(name: string, strategy: object = { name: 'default' }): Promise<void> {
  await admin('POST', features, { name, impressionData: name === 'impressive' });
  await admin('POST', strategies(name), strategy);
  await admin('POST', `${features}/${name}/environments/development/on`);
}

const variant = (name: string, type: string, value: string) => ({
  ...{ name, weight: 1000, weightType: 'variable', stickiness: 'default', payload: { type, value } },
});
const rollout = (variants: object[]) => ({
  name: 'flexibleRollout',
  parameters: { rollout: '100', stickiness: 'default', groupId: 'x' },
  variants,
});
const forField = (contextName: string, value: string) => ({
  name: 'default',
  constraints: [{ contextName, operator: 'IN', values: [value] }],
});

beforeAll(async () => {
  system = await startSystem();
  const made = await system.call('POST', '/api/admin/api-tokens', {
    body: { type: 'frontend', tokenName: 'web', environment: 'development' },
  });
  frontendToken = made.body.secret;
  await makeFlag('impressive');
  await makeFlag('of-user', forField('userId', '7'));
  await makeFlag('of-region', forField('region', 'eu'));
  await makeFlag('of-address', forField('remoteAddress', '127.0.0.1'));
  await makeFlag('of-production', forField('environment', 'production'));
  await makeFlag('text', rollout([variant('blue', 'string', 'hello')]));
  await makeFlag('number', rollout([variant('many', 'number', '7.5')]));
  await makeFlag('json', rollout([variant('object', 'json', '{"a":[1]}')]));
  await makeFlag('off-json', rollout([variant('object', 'json', '{"a":[1]}')]));
  await admin('POST', `${features}/off-json/environments/development/off`);
  await system.processAll();
});

afterAll(() => system?.stop());

const frontend = (query: string, options: object = {}) =>
  system.call('GET', `/api/frontend${query}`, { token: frontendToken, ...options });
const namesOf = ({ body }: { body: { toggles: { name: string }[] } }) => body.toggles.map(({ name }) => name);
const always = ['impressive', 'json', 'number', 'text'];

describe('the frontend API', () => {
  test('answers with the flags that are on, and with the address of the caller as its own', async () => {
    const answer = await frontend('');
    expect(answer.status).toBe(200);
    expect(namesOf(answer)).toEqual([...always, 'of-address'].toSorted());
    expect(answer.body.toggles).toContainEqual({
      name: 'text',
      enabled: true,
      impressionData: false,
      variant: {
        name: 'blue',
        enabled: true,
        payload: { type: 'string', value: 'hello' },
        feature_enabled: true,
        featureEnabled: true,
      },
    });
    expect(answer.body.toggles).toContainEqual(
      expect.objectContaining({ name: 'impressive', impressionData: true, variant: expect.anything() }),
    );
  });

  test.each([
    ['?userId=7', 'of-user'],
    ['?userId=1&userId=7', 'of-user'],
    ['?properties[region]=eu', 'of-region'],
    ['?properties%5Bregion%5D=eu', 'of-region'],
    ['?region=eu', 'of-region'],
    ['?region=us&region=eu', 'of-region'],
  ])('evaluates the context %s', async (query, flag) => {
    expect(namesOf(await frontend(query))).toContain(flag);
  });

  test('evaluates the context of a body as that of a query', async () => {
    const context = { userId: '7', remoteAddress: '10.0.0.1', properties: { region: 'eu' } };
    const answer = await system.call('POST', '/api/frontend', { token: frontendToken, body: { context } });
    expect(answer.status).toBe(200);
    expect(namesOf(answer)).toEqual([...always, 'of-region', 'of-user'].toSorted());
  });

  test('evaluates in the environment of the token, whatever the context says', async () => {
    expect(namesOf(await frontend('?environment=production'))).not.toContain('of-production');
  });

  test('answers 304 to its ETag while the flags are the same for the context', async () => {
    const { headers } = await frontend('?userId=7');
    const etag = headers.get('etag')!;
    const conditional = (query: string) => frontend(query, { headers: { 'if-none-match': `"x", W/${etag}` } });
    expect(await conditional('?userId=7')).toMatchObject({ status: 304, text: '' });
    expect((await conditional('?userId=8')).status).toBe(200);
  });

  test.each([
    ['a list as context', { context: [] }, 'context'],
    ['a text as context', { context: 'x' }, 'context'],
    ['a text as properties', { context: { properties: 'x' } }, 'context.properties'],
  ])('refuses %s', async (_title, body, property) => {
    const answer = await system.call('POST', '/api/frontend', { token: frontendToken, body });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(property);
  });

  test('refuses a context that is nested a thousand deep', async () => {
    const nested = `{"context":{"properties":{"x":${'['.repeat(1_000)}${']'.repeat(1_000)}}}}`;
    for (const path of ['/api/frontend', '/ofrep/v1/evaluate/flags', '/ofrep/v1/evaluate/flags/text'])
      expect((await system.call('POST', path, { token: frontendToken, body: nested })).status).toBe(400);
  });

  test('evaluates fields of other types and of inherited names as absent', async () => {
    const context = { userId: { toString: 'x' }, remoteAddress: 7, properties: { region: ['eu'], constructor: 'x' } };
    const answer = await system.call('POST', '/api/frontend', { token: frontendToken, body: { context } });
    expect(namesOf(answer)).toEqual(always);
  });

  test('lets pages of any origin read answers and errors, after a preflight without a token', async () => {
    const preflight = await fetch(`${system.url}/api/frontend`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example.com',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,unleash-appname',
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization,unleash-appname',
      'access-control-max-age': '86400',
    });
    for (const token of [frontendToken, null]) {
      const { headers } = await frontend('', { token, headers: { origin: 'https://shop.example.com' } });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toContain('ETag');
    }
  });

  test('serves the SDK for browsers, which sees a change', async () => {
    const sdk = new UnleashClient({
      ...{ url: `${system.url}/api/frontend`, clientKey: frontendToken, appName: 'web', refreshInterval: 1 },
      ...{ disableMetrics: true, storageProvider: new InMemoryStorageProvider(), fetch, context: { userId: '7' } },
    });
    const sdkErrors: unknown[] = [];
    sdk.on('error', (error: unknown) => sdkErrors.push(error));
    await sdk.start();
    expect(sdk.isEnabled('of-user')).toBe(true);
    expect(sdk.getVariant('text')).toMatchObject({ name: 'blue', payload: { value: 'hello' } });
    await makeFlag('new-for-web');
    await eventually(async () => expect(sdk.isEnabled('new-for-web')).toBe(true));
    sdk.stop();
    expect(sdkErrors).toEqual([]);
  });
});

const ofrep = (path: string, body: unknown, options: object = {}) =>
  system.call('POST', `/ofrep/v1/evaluate/flags${path}`, { token: frontendToken, body, ...options });

describe('OFREP', () => {
  test.each([
    ['text', { key: 'text', reason: 'SPLIT', variant: 'blue', value: 'hello' }],
    ['number', { key: 'number', reason: 'SPLIT', variant: 'many', value: 7.5 }],
    ['json', { key: 'json', reason: 'SPLIT', variant: 'object', value: { a: [1] } }],
    ['off-json', { key: 'off-json', reason: 'DISABLED' }],
    ['of-user', { key: 'of-user', reason: 'TARGETING_MATCH', value: true }],
    ['of-region', { key: 'of-region', reason: 'DEFAULT', value: false }],
  ])('evaluates the flag %s in its type', async (flag, expected) => {
    expect(await ofrep(`/${flag}`, { context: { targetingKey: '7' } })).toMatchObject({ status: 200, body: expected });
    expect((await ofrep('', { context: { targetingKey: '7' } })).body.flags).toContainEqual(expected);
  });

  test.each([
    [{ targetingKey: '7', userId: '8' }, true],
    [{ targetingKey: '8', userId: '7' }, false],
    [{ userId: '7' }, true],
    [{ targetingKey: null, userId: '7' }, true],
  ])('the user of %j is that of the targeting key, if it has one', async (context, value) => {
    expect(await ofrep('/of-user', { context })).toMatchObject({ status: 200, body: { value } });
  });

  test('takes client and frontend tokens, also in X-API-Key', async () => {
    for (const token of [frontendToken, system.clientTokens.development]) {
      expect((await ofrep('/text', {}, { token })).status).toBe(200);
      expect((await ofrep('/text', {}, { token: null, headers: { 'x-api-key': token } })).status).toBe(200);
    }
    expect((await ofrep('/text', {}, { token: system.adminToken })).status).toBe(403);
    expect((await ofrep('/text', {}, { token: null })).status).toBe(401);
  });

  test('answers all flags with an ETag, and 304 to it', async () => {
    const body = { context: { targetingKey: '7' } };
    const { headers } = await ofrep('', body);
    expect(await ofrep('', body, { headers: { 'if-none-match': headers.get('etag') } })).toMatchObject({ status: 304 });
  });

  test.each([
    ['an unknown flag', '/none', {}, 404, { key: 'none', errorCode: 'FLAG_NOT_FOUND' }],
    ['a list as context', '/text', { context: [] }, 400, { key: 'text', errorCode: 'INVALID_CONTEXT' }],
    ['a list as context of all flags', '', { context: [] }, 400, { errorCode: 'INVALID_CONTEXT' }],
  ])('refuses %s with the codes of OpenFeature', async (_title, path, body, status, expected) => {
    const answer = await ofrep(path, body);
    expect(answer).toMatchObject({ status, body: expected });
    expect(answer.body.errorDetails).toBe(answer.body.message);
  });

  test('refuses a body that is no JSON with PARSE_ERROR', async () => {
    const answer = await fetch(`${system.url}/ofrep/v1/evaluate/flags/text`, {
      method: 'POST',
      headers: { authorization: frontendToken, 'content-type': 'application/json' },
      body: '{',
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ key: 'text', errorCode: 'PARSE_ERROR' });
  });

  test('serves the provider for servers', async () => {
    const headers: [string, string][] = [['Authorization', `Bearer ${system.clientTokens.development}`]];
    await OpenFeatureServer.setProviderAndWait(new OFREPProvider({ baseUrl: system.url, headers }) as never);
    const client = OpenFeatureServer.getClient();
    const context = { targetingKey: '7' };
    expect(await client.getBooleanValue('of-user', false, context)).toBe(true);
    expect(await client.getStringValue('text', '', context)).toBe('hello');
    expect(await client.getNumberValue('number', 0, context)).toBe(7.5);
    expect(await client.getObjectValue('json', {}, context)).toEqual({ a: [1] });
    expect(await client.getBooleanDetails('none', true, context)).toMatchObject({
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
    });
    await OpenFeatureServer.close();
  });

  test('serves the provider for browsers, which sees a change', async () => {
    const provider = new OFREPWebProvider({
      baseUrl: system.url,
      headers: [['Authorization', frontendToken]],
      pollInterval: 100,
    });
    await OpenFeatureWeb.setContext({ targetingKey: '7' });
    await OpenFeatureWeb.setProviderAndWait(provider);
    const client = OpenFeatureWeb.getClient();
    expect(client.getBooleanValue('of-user', false)).toBe(true);
    expect(client.getObjectValue('json', {})).toEqual({ a: [1] });
    expect(client.getObjectValue('off-json', { own: true })).toEqual({ own: true });
    await makeFlag('new-for-ofrep');
    await eventually(async () => expect(client.getBooleanValue('new-for-ofrep', false)).toBe(true));
    await OpenFeatureWeb.close();
  });
});
