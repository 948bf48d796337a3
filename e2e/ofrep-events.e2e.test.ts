// The event streams of OFREP: tickets, when an event comes, what ends a stream, and the provider for browsers.
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature } from '@openfeature/web-sdk';
import { metrics } from '@yardarm/shared/telemetry';
import { type CallResult, type EventStream, eventually, longTest, openEventStream } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { EventSource } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

const project = '/api/admin/projects/default';
let system: Awaited<ReturnType<typeof startSystem>>;
let second: string;
let token: string;

async function makeToken(type: string): Promise<string> {
  const body = { type, tokenName: type, environment: 'development' };
  return (await system.call('POST', '/api/admin/api-tokens', { body })).body.secret;
}

beforeAll(async () => {
  system = await startSystem();
  token = await makeToken('frontend');
  await system.call('POST', `${project}/features`, { body: { name: 'flipped' } });
  await system.call('POST', `${project}/features/flipped/environments/development/strategies`, {
    body: { name: 'default' },
  });
  await system.processAll();
  second = await system.addGateway();
});
afterAll(() => system?.stop());

const opened: EventStream[] = [];
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
  vi.useRealTimers();
});

let isOn = false;
async function flip(): Promise<void> {
  isOn = !isOn;
  await system.call('POST', `${project}/features/flipped/environments/development/${isOn ? 'on' : 'off'}`);
}

const evaluate = (options: { token?: string; url?: string; headers?: Record<string, string> } = {}, query = '') =>
  system.call('POST', `/ofrep/v1/evaluate/flags${query}`, {
    token,
    body: { context: { targetingKey: '7' } },
    ...options,
  });
const requestUriIn = ({ body }: CallResult): string => body.eventStreams[0].endpoint.requestUri;
const ticketIn = (answer: CallResult) => new URL(requestUriIn(answer), system.url).searchParams.get('ticket')!;
const call = (path: string) => system.call('GET', path, { token: null });

async function open(requestUri: string, headers: Record<string, string> = {}, url = system.url): Promise<EventStream> {
  const stream = await openEventStream(url + requestUri, headers);
  opened.push(stream);
  return stream;
}

/** Both gateways have the same flags. */
const settle = () =>
  eventually(async () => {
    const [one, two] = [await evaluate(), await evaluate({ url: second })];
    expect(two.text).toBe(one.text);
    expect(one.body.flags).toMatchObject([{ key: 'flipped', value: isOn }]);
    return one;
  });

describe('the answer with all flags', () => {
  test('names a stream with a ticket, equal at every gateway, for client and frontend tokens', async () => {
    const [one, two] = [await settle(), await evaluate({ url: second })];
    expect(one.body.eventStreams).toEqual([
      {
        type: 'sse',
        endpoint: { requestUri: expect.stringMatching(/^\/ofrep\/v1\/events\?ticket=[\w.-]{70,}&since=/) },
        inactivityDelaySec: 120,
      },
    ]);
    expect(two.headers.get('etag')).toBe(one.headers.get('etag'));
    expect(one.text).not.toContain(token);
    const ofClient = await evaluate({ token: system.clientTokens.development });
    expect((await open(requestUriIn(ofClient))).status).toBe(200);
  });

  test('is 304 after a change that leaves the flags of the context as they are', async () => {
    const etag = (await settle()).headers.get('etag')!;
    await system.call('PATCH', `${project}/features/flipped`, {
      body: [{ op: 'replace', path: '/description', value: 'another' }],
    });
    await system.processAll();
    expect((await evaluate({ headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('is another one with another ticket, and the old ticket ends half an hour later', async () => {
    const first = await settle();
    const ifNoneMatch = { headers: { 'if-none-match': first.headers.get('etag')! } };
    expect((await evaluate(ifNoneMatch)).status).toBe(304);
    const minutes = (count: number) => vi.setSystemTime(startedAt + count * 60_000);
    const startedAt = Date.now();
    vi.useFakeTimers({ toFake: ['Date'] });
    minutes(30);
    const next = await evaluate(ifNoneMatch);
    expect([next.status, next.body.flags]).toEqual([200, first.body.flags]);
    expect(ticketIn(next)).not.toBe(ticketIn(first));
    for (const answer of [first, next]) expect((await open(requestUriIn(answer))).status).toBe(200);
    minutes(61);
    expect((await call(requestUriIn(first))).status).toBe(401);
  });
});

describe('a stream', () => {
  test('is silent until a flag of its token changes, then names the position', async () => {
    const before = await settle();
    const stream = await open(requestUriIn(before), { origin: 'https://shop.example.com' });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(stream.headers.get('access-control-allow-origin')).toBe('*');
    await system.call('POST', '/api/admin/projects', { body: { id: 'x', name: 'x' } });
    await system.processAll();
    expect(stream.events).toEqual([]);
    await flip();
    const event = await stream.waitFor(1);
    expect(event).toEqual({ id: event.id, event: 'message', data: { type: 'refetchEvaluation', etag: event.id } });
    const after = await evaluate({}, `?flagConfigEtag=${encodeURIComponent(event.id)}`);
    expect(after.body.flags).toMatchObject([{ value: isOn }]);
    expect(new URL(requestUriIn(after), second).searchParams.get('since')).toBe(event.id);
  });

  test('gets at most one event a second while flags change, and the last change', async () => {
    const stream = await open(requestUriIn(await settle()));
    const startedAt = performance.now();
    do await flip();
    while (stream.events.length < 3);
    const position = new URL(requestUriIn(await settle()), second).searchParams.get('since');
    await eventually(() => expect(stream.events.at(-1)!.id).toBe(position));
    expect(stream.events.length).toBeLessThanOrEqual((performance.now() - startedAt) / 1_000 + 1);
  });

  test('that is opened after a change gets an event at once, and one that continues only for what it missed', async () => {
    const requestUri = requestUriIn(await settle());
    await flip();
    await settle();
    const { id } = await (await open(requestUri)).waitFor(1);
    const same = await open(requestUri, { 'last-event-id': id }, second);
    await flip();
    const missed = await open(requestUri, { 'last-event-id': id });
    const [one, two] = [await same.waitFor(1), await missed.waitFor(1)];
    expect([one.id, one.id]).not.toContain(id);
    expect(two.id).toBe(one.id);
  });

  test.each([
    ['no position', ''],
    ['a position that is none', '&since=nonsense'],
    ['the position of another scope', '&since=00000000:1:00000000'],
    ['a very long position', `&since=${'x'.repeat(5_000)}`],
  ])('opened with %s gets an event', async (_title, since) => {
    const path = `/ofrep/v1/events?ticket=${ticketIn(await settle())}${since}`;
    for (const headers of [{}, { 'last-event-id': '"' }] as Record<string, string>[])
      expect((await (await open(path, headers)).waitFor(1)).data.type).toBe('refetchEvaluation');
  });

  test('ends with its ticket', async () => {
    const answer = await settle();
    const expiresAt = Number.parseInt(ticketIn(answer).split('.')[1]!, 36) * 1_000;
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt - 500 });
    const stream = await open(requestUriIn(answer));
    expect([stream.status, stream.isEnded()]).toEqual([200, false]);
    await eventually(() => expect(stream.isEnded()).toBe(true));
  });

  test('ends with its token, whose tickets are refused from then on', async () => {
    const revoked = await makeToken('client');
    const requestUri = requestUriIn(await evaluate({ token: revoked }));
    const streams = [await open(requestUri), await open(requestUri, {}, second)];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await system.call('DELETE', `/api/admin/api-tokens/${encodeURIComponent(revoked)}`);
    await eventually(() => expect(streams.map((stream) => stream.isEnded())).toEqual([true, true]));
    expect((await call(requestUri)).status).toBe(401);
    expect((await open(requestUri, {}, second)).status).toBe(401);
  });

  test('is not opened without a ticket that is valid', async () => {
    const ticket = ticketIn(await settle());
    const [selector, expiry, proof] = ticket.split('.') as [string, string, string];
    const invalid = [
      ...['', 'nonsense', token, 'x'.repeat(5_000), `${ticket}x`],
      ...[`${'x'.repeat(22)}.${expiry}.${proof}`, `${selector}.z${expiry.slice(1)}.${proof}`],
      `${selector}.${expiry}.${[...proof].reverse().join('')}`,
    ];
    for (const text of invalid) {
      const answer = await call(`/ofrep/v1/events?ticket=${encodeURIComponent(text)}`);
      expect([answer.status, answer.body.errorCode]).toEqual([401, 'GENERAL']);
      expect(answer.body.message).toContain('This ticket is not valid');
    }
    for (const query of ['', `?ticket=${ticket}&ticket=${ticket}`]) {
      const answer = await call(`/ofrep/v1/events${query}`);
      expect([answer.status, answer.body.errorCode]).toEqual([400, 'INVALID_CONTEXT']);
      expect(answer.text).not.toContain(ticket);
    }
    expect((await system.call('GET', '/ofrep/v1/events', { token })).status).toBe(400);
  });
});

describe('the provider for browsers', () => {
  let provided: () => boolean;

  async function countStreams(): Promise<number> {
    const { values } = await metrics.getSingleMetric('yardarm_gateway_sdk_streams')!.get();
    return values[0]!.value;
  }

  beforeEach(async () => {
    vi.stubGlobal('EventSource', EventSource);
    await settle();
    const headers: [string, string][] = [['Authorization', token]];
    const provider = new OFREPWebProvider({ baseUrl: system.url, headers, cacheMode: 'disabled' });
    await OpenFeature.setContext({ targetingKey: '7' });
    await OpenFeature.setProviderAndWait(provider);
    const client = OpenFeature.getClient();
    provided = () => client.getBooleanValue('flipped', !isOn);
    await eventually(async () => expect(await countStreams()).toBe(1));
  });
  afterEach(async () => {
    await OpenFeature.close();
    vi.unstubAllGlobals();
  });

  test('sees flips through its stream alone, also after it was ended', async () => {
    expect(provided()).toBe(isOn);
    for (const round of [1, 2, 3]) {
      await flip();
      await eventually(() => expect([round, provided()]).toEqual([round, isOn]));
    }
    await system.call('POST', '/api/admin/streaming/disconnect-all');
    await flip();
    await eventually(() => expect(provided()).toBe(isOn));
  });

  longTest('goes on with another ticket when its own has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    await system.call('POST', '/api/admin/streaming/disconnect-all');
    await eventually(async () => expect(await countStreams()).toBe(0));
    for (const round of [1, 2]) {
      await flip();
      await eventually(() => expect([round, provided()]).toEqual([round, isOn]));
    }
  });
});
