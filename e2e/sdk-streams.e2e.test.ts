// SDKs that poll deltas or stream: what they get first, next, after a reconnection to another gateway, at the limit.
import { type EventStream, eventually, openEventStream, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { InMemStorageProvider, Unleash, type UnleashConfig } from 'unleash-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const project = '/api/admin/projects/default';
let system: TestSystem;
let second: string;
let token: string;

beforeAll(async () => {
  system = await startSystem();
  token = system.clientTokens.development;
  for (const name of ['flipped', 'other']) await system.call('POST', `${project}/features`, { body: { name } });
  await system.processAll();
  second = await system.addGateway();
});
afterAll(() => system?.stop());

const opened: EventStream[] = [];
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

async function stream(headers: Record<string, string> = {}, url = system.url, query = ''): Promise<EventStream> {
  const one = await openEventStream(`${url}/api/client/streaming${query}`, { authorization: token, ...headers });
  opened.push(one);
  return one;
}

const delta = (headers: Record<string, string> = {}, url = system.url, query = '') =>
  system.call('GET', `/api/client/delta${query}`, { token, headers, url });
const switchFlag = (name: string, isOn: boolean) =>
  system.call('POST', `${project}/features/${name}/environments/development/${isOn ? 'on' : 'off'}`);
const typesIn = ({ events }: { events: { type: string }[] }) => events.map(({ type }) => type);

describe('unleash-client', () => {
  const started: Unleash[] = [];
  afterEach(() => {
    for (const sdk of started.splice(0)) sdk.destroy();
  });

  async function start(
    config: Partial<UnleashConfig>,
    url = system.url,
  ): Promise<{ sdk: Unleash; warnings: unknown[] }> {
    const sdk = new Unleash({
      ...{ url: `${url}/api`, appName: 'test', refreshInterval: 200, disableMetrics: true },
      ...{ customHeaders: { Authorization: token }, storageProvider: new InMemStorageProvider() },
      ...{ skipInstanceCountWarning: true, ...config },
    });
    started.push(sdk);
    const warnings: unknown[] = [];
    sdk.on('warn', (warning) => warnings.push(warning));
    sdk.on('error', (error) => warnings.push(error));
    await new Promise((resolve) => sdk.once('synchronized', resolve));
    return { sdk, warnings };
  }

  test.each<[string, UnleashConfig['experimentalMode']]>([
    ['polls listings', { type: 'polling', format: 'full' }],
    ['polls deltas', { type: 'polling', format: 'delta' }],
    ['streams', { type: 'streaming' }],
  ])(
    'that %s sees flags, flips, segments and a restored database without a warning',
    async (_title, experimentalMode) => {
      await switchFlag('flipped', false);
      await system.processAll();
      const { sdk, warnings } = await start({ experimentalMode: experimentalMode! });
      expect([sdk.isEnabled('flipped'), sdk.getFeatureToggleDefinitions().length]).toEqual([false, 2]);
      await switchFlag('flipped', true);
      await eventually(() => expect(sdk.isEnabled('flipped')).toBe(true));
      const constraints = [{ contextName: 'userId', operator: 'IN', values: ['me'] }];
      const segment = await system.call('POST', '/api/admin/segments', { body: { name: 'me', constraints } });
      const path = `${project}/features/other/environments/development/strategies`;
      const strategy = await system.call('POST', path, { body: { name: 'default', segments: [segment.body.id] } });
      await switchFlag('other', true);
      await eventually(() => expect(sdk.isEnabled('other', { userId: 'me' })).toBe(true));
      expect(sdk.isEnabled('other', { userId: 'you' })).toBe(false);
      const changed = { name: 'me', constraints: [{ ...constraints[0], values: ['you'] }] };
      await system.call('PUT', `/api/admin/segments/${segment.body.id}`, { body: changed });
      await eventually(() => expect(sdk.isEnabled('other', { userId: 'you' })).toBe(true));
      expect(sdk.isEnabled('other', { userId: 'me' })).toBe(false);
      await system.call('DELETE', `${path}/${strategy.body.id}`);
      await system.call('DELETE', `/api/admin/segments/${segment.body.id}`);
      // A restored database has other contents under the same revisions, so that only a hydration shows them.
      await system.processAll();
      await system.database.rows(`
      with restored as (update flags.epoch set epoch = gen_random_uuid())
      update flags.feature_environments set enabled = false where feature_name = 'flipped'`);
      await eventually(() => expect(sdk.isEnabled('flipped')).toBe(false));
      await switchFlag('flipped', true);
      await eventually(() => expect(sdk.isEnabled('flipped')).toBe(true));
      expect(warnings).toEqual([]);
    },
  );
});

describe('a delta', () => {
  test('is a hydration first, then only what is newer, then 304', async () => {
    const whole = await delta();
    expect(typesIn(whole.body)).toEqual(['hydration']);
    expect(whole.body.events[0].features).toHaveLength(2);
    const etag = whole.headers.get('etag')!;
    expect(await delta({ 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
    const { body } = await system.call('PATCH', `${project}/features/flipped`, {
      body: [{ op: 'replace', path: '/stale', value: true }],
    });
    expect(body.stale).toBe(true);
    await system.processAll();
    const newer = await delta({ 'if-none-match': etag });
    expect(newer.body.events).toMatchObject([{ type: 'feature-updated', feature: { name: 'flipped', stale: true } }]);
    expect(newer.body.events[0].eventId).toBe(whole.body.events[0].eventId + 1);
    expect(await delta({ 'if-none-match': newer.headers.get('etag')! })).toMatchObject({ status: 304 });
  });

  test('removes a flag that leaves the filter, and one that is archived', async () => {
    const query = '?tag=simple:red&namePrefix=tagged';
    const names = ['tagged.one', 'tagged.two', 'tagged.three'];
    const tag = { type: 'simple', value: 'red' };
    for (const name of names) await system.call('POST', `${project}/features`, { body: { name, tags: [tag] } });
    await system.processAll();
    const whole = await delta({}, system.url, query);
    expect(whole.body.events[0].features.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort());
    await system.call('DELETE', '/api/admin/features/tagged.one/tags/simple/red');
    await system.call('DELETE', `${project}/features/tagged.two`);
    await system.processAll();
    const newer = await delta({ 'if-none-match': whole.headers.get('etag')! }, system.url, query);
    expect(newer.body.events.map(({ type, featureName }: Record<string, string>) => [type, featureName])).toEqual([
      ['feature-removed', 'tagged.one'],
      ['feature-removed', 'tagged.two'],
    ]);
    expect((await delta({}, system.url, query)).body.events[0].features).toHaveLength(1);
    await system.call('DELETE', `${project}/features/tagged.three`);
    await system.processAll();
  });

  test.each([
    ['an ETag of another scope', '"00000000:1:00000000"'],
    ['no ETag at all', 'nonsense'],
    ['ten thousand commas', ','.repeat(10_000)],
    ['an ETag with an absurd revision', '"x:99999999999999999999:y"'],
  ])('for %s is a hydration', async (_title, etag) => {
    const answer = await delta({ 'if-none-match': etag });
    expect([answer.status, typesIn(answer.body)]).toEqual([200, ['hydration']]);
  });

  test('for a position that flags never had is a hydration', async () => {
    const [scope, revision, epoch] = (await delta()).headers.get('etag')!.split(':');
    const ahead = `${scope}:${Number(revision) + 1_000_000}:${epoch}`;
    expect(typesIn((await delta({ 'if-none-match': ahead })).body)).toEqual(['hydration']);
  });
});

describe('a stream', () => {
  test('begins with a hydration and gets each change, with positions as ids', async () => {
    const one = await stream();
    expect([one.status, one.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const connected = await one.waitFor(1);
    expect([connected.event, typesIn(connected.data)]).toEqual(['unleash-connected', ['hydration']]);
    expect(`"${connected.id}"`).toBe((await delta({ 'accept-encoding': 'identity' })).headers.get('etag'));
    await switchFlag('other', true);
    const updated = await one.waitFor(2);
    expect([updated.event, typesIn(updated.data)]).toEqual(['unleash-updated', ['feature-updated']]);
    expect(updated.data.events[0].feature).toMatchObject({ name: 'other', enabled: true });
  });

  test('that continues at another gateway gets exactly what it missed', async () => {
    const one = await stream();
    const { id } = await one.waitFor(1);
    one.close();
    await eventually(async () => expect((await delta({ 'if-none-match': `"${id}"` }, second)).status).toBe(304));
    await switchFlag('other', false);
    await switchFlag('flipped', false);
    await eventually(async () => {
      const text = (await delta({ 'if-none-match': `"${id}"` }, second)).text;
      expect(text.match(/feature-updated/g)).toHaveLength(2);
    });
    const again = await (await stream({ 'last-event-id': id }, second)).waitFor(1);
    expect(again.event).toBe('unleash-connected');
    expect(again.data.events.map(({ feature }: { feature: { name: string } }) => feature.name)).toEqual([
      'flipped',
      'other',
    ]);
    const current = await (await stream({ 'last-event-id': again.id })).waitFor(1);
    expect(current).toMatchObject({ id: again.id, data: { events: [] } });
  });

  test.each(['nonsense', '*', `00000000:1:00000000`, '"quoted"', 'x'.repeat(10_000)])(
    'with the Last-Event-ID %s begins with a hydration',
    async (id) => {
      const connected = await (await stream({ 'last-event-id': id })).waitFor(1);
      expect(typesIn(connected.data)).toEqual(['hydration']);
    },
  );

  test('does not begin for a HEAD request', async () => {
    const answer = await system.call('HEAD', '/api/client/streaming', { token });
    expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([200, 'text/event-stream', '']);
  });

  test('gets only the flags of its filter', async () => {
    const one = await stream({}, system.url, '?namePrefix=oth');
    const connected = await one.waitFor(1);
    expect(connected.data.events[0].features).toMatchObject([{ name: 'other' }]);
    await switchFlag('flipped', true);
    await switchFlag('other', true);
    expect((await one.waitFor(2)).data.events).toMatchObject([{ type: 'feature-updated', feature: { name: 'other' } }]);
  });

  test('ends when its token is deleted, and when it expires', async () => {
    const body = { type: 'client', tokenName: 'streams', environment: 'development' };
    const made = await system.call('POST', '/api/admin/api-tokens', { body });
    const one = await stream({ authorization: made.body.secret });
    await one.waitFor(1);
    // The stream must have opened before that, also on a busy machine.
    const expiresAt = new Date(Date.now() + 3_000).toISOString();
    const expiring = await system.call('POST', '/api/admin/api-tokens', { body: { ...body, expiresAt } });
    const two = await stream({ authorization: expiring.body.secret });
    await two.waitFor(1);
    await system.call('DELETE', `/api/admin/api-tokens/${encodeURIComponent(made.body.secret)}`);
    await eventually(() => expect([one.isEnded(), two.isEnded()]).toEqual([true, true]));
    expect((await stream({ authorization: made.body.secret })).status).toBe(401);
  });

  test('ends at every gateway when an administrator disconnects all', async () => {
    const streams = [await stream(), await stream({}, second)];
    for (const one of streams) await one.waitFor(1);
    expect((await system.call('POST', '/api/admin/streaming/disconnect-all')).status).toBe(200);
    await eventually(() => expect(streams.map((one) => one.isEnded())).toEqual([true, true]));
  });

  test('gets a hydration when the database has another epoch, as the readers of deltas do', async () => {
    const one = await stream();
    const { id } = await one.waitFor(1);
    await system.database.rows('update flags.epoch set epoch = gen_random_uuid()');
    const restored = await one.waitFor(2);
    expect(typesIn(restored.data)).toEqual(['hydration']);
    expect(restored.id).not.toBe(id);
    expect(typesIn((await delta({ 'if-none-match': `"${id}"` })).body)).toEqual(['hydration']);
  });
});
