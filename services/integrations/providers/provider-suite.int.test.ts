// Proves, for every provider against a real receiver, the result of each kind of answer, and that no secret is
// revealed. Each provider's format.test.ts asserts the payloads, and the guarded client's tests what it refuses.
import { Readable } from 'node:stream';
import { createGuardedClient } from '@yardarm/shared/http';
import { createLogger } from '@yardarm/shared/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { baseUrl, goldenEvent, somePublication } from '../testing/publications.ts';
import { type Answer, type Receiver, startReceiver } from '../testing/receiver.ts';
import { createProviders, type Parameters, type SendResult } from './index.ts';
import type { Publication } from './provider.ts';

const secret = 's3cret-0123456789abcdef';
const customHeaders = JSON.stringify({ 'x-key': `header-${secret}` });

/** The parameters of every provider; each sensitive one contains the secret. */
const parametersOf: Record<string, (url: string) => Parameters> = {
  webhook: (url) => ({
    url: `${url}/hooks/${secret}?key=${secret}`,
    authorization: `Bearer ${secret}`,
    signingSecret: `whsec_${Buffer.from(`${secret}${secret}`).toString('base64')}`,
    customHeaders,
  }),
  'slack-app': () => ({ accessToken: `xoxb-${secret}`, defaultChannels: 'general' }),
  teamsworkflow: (url) => ({ url: `${url}/workflows/${secret}?sig=${secret}`, customHeaders }),
  datadog: () => ({ apiKey: secret, customHeaders }),
  'new-relic': (url) => ({ url: `${url}/v1/accounts/1/events`, licenseKey: secret, customHeaders }),
  slack: (url) => ({ url: `${url}/services/T0/B0/${secret}`, defaultChannel: 'general', customHeaders }),
  teams: (url) => ({ url: `${url}/webhookb2/${secret}`, customHeaders }),
};

/** Answers with a status and a vendor's body for it; Slack's Web API reports success in the body. */
const answering =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(status < 300 ? '{"ok":true}' : 'refused');

function* forever(piece: string) {
  for (;;) yield piece;
}

const logged: string[] = [];
const log = createLogger({ service: 'test', level: 'trace', destination: { write: (line) => void logged.push(line) } });
const client = createGuardedClient({ allowedPrivate: ['127.0.0.1'], log });
const providersAt = (url: string) =>
  createProviders(client, { baseUrl, slackApiUrl: `${url}/api`, datadogUrl: `${url}/api/v1/events` });

let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver(answering(200));
});

afterEach(() => receiver.close());

const names = [...providersAt('https://vendor.example').keys()];

it('knows every provider', () => {
  expect(names.sort()).toEqual(Object.keys(parametersOf).sort());
});

describe.each(names)('the provider %s', (name) => {
  const publish = (over: Partial<Publication> = {}): Promise<SendResult> =>
    providersAt(receiver.url)
      .get(name)!
      .publish(somePublication({ parameters: parametersOf[name]!(receiver.url), ...over }));

  /** Asserts that neither the outcome nor the attempt nor the log contains the secret. */
  const expectNoSecret = (published: SendResult) => {
    expect(JSON.stringify(published) + logged.join('\n')).not.toContain(secret);
  };

  it('names the parameter that is the destination, unless it is a setting', () => {
    const { parameters } = providersAt(receiver.url).get(name)!.definition;
    const destinations = parameters.filter(({ destination }) => destination).map((parameter) => parameter.name);
    expect(destinations).toEqual(name === 'slack-app' ? [] : ['url']);
  });

  it('has valid parameters, and masks each one that contains a secret', () => {
    const { definition, problems } = providersAt(receiver.url).get(name)!;
    const parameters = parametersOf[name]!(receiver.url);
    expect(problems(parameters)).toEqual([]);
    for (const [parameter, value] of Object.entries(parameters)) {
      const defined = definition.parameters.find((one) => one.name === parameter);
      expect(defined?.sensitive).toBe(value.includes(secret) || parameter === 'signingSecret');
    }
    expect(definition.parameters.filter(({ required }) => required).every((one) => parameters[one.name])).toBe(true);
    expect(new Set(definition.events).size).toBe(definition.events.length);
  });

  it('posts once, with its secret, and reports a success', async () => {
    const published = await publish();
    expect(published).toMatchObject({ state: 'success', next: 'done', status: 200, errorCode: null });
    expect(published.stateDetails).toMatch(/successful/);
    expect(receiver.calls.length).toBe(1);
    const [{ path, headers, body }] = receiver.calls as [(typeof receiver.calls)[number]];
    expect(JSON.stringify([path, headers])).toContain(secret);
    expect(headers['user-agent']).toBe('yardarm');
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(JSON.parse(body)).toBeTypeOf('object');
    if (name !== 'slack-app') expect(headers['x-key']).toBe(`header-${secret}`);
    expectNoSecret(published);
  });

  it.each([
    [400, 'retry'],
    [404, 'retry'],
    [410, 'disable'],
    [500, 'retry'],
    [301, 'retry'],
  ])('reports a %i as failed, with the next step %s', async (status, next) => {
    receiver.answer = answering(status, { location: `${receiver.url}/elsewhere` });
    const published = await publish();
    expect(published).toMatchObject({ state: 'failed', next, status, retryAfter: null });
    expect(published.stateDetails).toContain(`failed with status code: ${status}`);
    expect(published.responseBody).toContain('refused');
    expect(receiver.calls.length).toBe(1);
    expectNoSecret(published);
  });

  it('passes Retry-After on', async () => {
    receiver.answer = answering(429, { 'retry-after': '30' });
    expect(await publish()).toMatchObject({ state: 'failed', next: 'retry', status: 429, retryAfter: '30' });
  });

  it('reports an unreachable endpoint by its error code', async () => {
    receiver.close();
    const published = await publish();
    expect(published).toMatchObject({ state: 'failed', next: 'retry', status: null, errorCode: 'ECONNREFUSED' });
    expect(published.stateDetails).toContain('failed with status code: ECONNREFUSED');
    expectNoSecret(published);
  });

  it('ends with its signal if no answer comes', async () => {
    const end = new AbortController();
    receiver.answer = () => end.abort();
    expect(await publish({ signal: end.signal })).toMatchObject({
      state: 'failed',
      next: 'retry',
      status: null,
      errorCode: 'aborted',
    });
  });

  it('reads an endless answer up to the limit', async () => {
    receiver.answer = (response) => {
      const endless = Readable.from(forever('x'.repeat(64 * 1024)));
      response.writeHead(500).on('close', () => endless.destroy());
      endless.pipe(response);
    };
    const published = await publish();
    expect(published).toMatchObject({ state: 'failed', status: 500 });
    expect(published.responseBody!.length).toBeLessThan(65 * 1024);
  });

  it('redacts a secret that an endpoint sends back', async () => {
    receiver.answer = (response, { path, headers, body }) =>
      response.writeHead(500).end(JSON.stringify({ path, headers, body }));
    const published = await publish();
    expect(published.responseBody).toContain('*****');
    expect(published.responseBody).toContain('yardarm');
    expectNoSecret(published);
  });

  it('sends JSON with any name', async () => {
    const hostile = '"\\\n*_`~[x](y)<!channel><b>{{event.id}}</b>%%%\u0000\ud800';
    const event = { ...goldenEvent, createdBy: hostile, featureName: hostile, project: hostile, environment: hostile };
    expect(await publish({ event })).toMatchObject({ state: 'success' });
    expect(() => JSON.parse(receiver.calls[0]!.body)).not.toThrow();
  });
});

it.each(['webhook', 'datadog', 'new-relic'])('%s sends nothing if its template exceeds the limits', async (name) => {
  const sections = Array.from({ length: 7 }, () => 'event.data.events');
  const bodyTemplate = [...sections.map((list) => `{{#${list}}}`), ...sections.map((list) => `{{/${list}}}`)].join('');
  const event = { ...goldenEvent, data: { events: Array.from({ length: 59 }, (_, index) => `type-${index}`) } };
  const parameters = { ...parametersOf[name]!(receiver.url), bodyTemplate };
  expect(await providersAt(receiver.url).get(name)!.publish(somePublication({ parameters, event }))).toMatchObject({
    state: 'failed',
    stateDetails: 'The message was not sent: the body template takes more than 50000 steps to fill in for this event.',
    errorCode: 'template',
    next: 'retry',
  });
  expect(receiver.calls).toEqual([]);
});

describe('a 2xx that is a failure', () => {
  it('slack-app reads the failure from the body', async () => {
    receiver.answer = (response) => response.end('{"ok":false,"error":"channel_not_found"}');
    const parameters = parametersOf['slack-app']!('');
    const published = await providersAt(receiver.url).get('slack-app')!.publish(somePublication({ parameters }));
    expect(published).toMatchObject({
      state: 'failed',
      next: 'retry',
      status: 200,
      stateDetails:
        'All (1) Slack client calls failed with the following errors: general failed with status code: 200 - channel_not_found',
    });
  });

  it('teams reads the failure from the body', async () => {
    receiver.answer = (response) => response.end('Microsoft Teams endpoint returned HTTP error 429 with ContextId x');
    const parameters = parametersOf.teams!(receiver.url);
    const published = await providersAt(receiver.url).get('teams')!.publish(somePublication({ parameters }));
    expect(published).toMatchObject({
      state: 'failed',
      next: 'retry',
      stateDetails:
        'Teams webhook request failed with status code: 200 - Microsoft Teams endpoint returned HTTP error 429',
    });
  });
});

describe('several channels of slack-app', () => {
  const tags = [
    { type: 'slack', value: '#ops' },
    { type: 'slack', value: 'general' },
    { type: 'simple', value: 'other' },
  ];
  const parameters = { accessToken: 'xoxb-1', defaultChannels: 'general, C0123' };
  const publish = (progress: Publication['progress'] = null) =>
    providersAt(receiver.url)
      .get('slack-app')!
      .publish(somePublication({ parameters, progress, event: { ...goldenEvent, tags } }));
  const channels = () => receiver.calls.map(({ body }) => JSON.parse(body).channel).sort();

  it('are those of the integration and of the tags, once each', async () => {
    expect(await publish()).toMatchObject({
      state: 'success',
      stateDetails: 'All (3) Slack client calls were successful.',
      details: {
        message: 'ada@example.com enabled checkout for the production environment in project default',
        channels: ['general', 'C0123', 'ops'],
      },
    });
    expect(channels()).toEqual(['C0123', 'general', 'ops']);
    expect(receiver.calls[0]).toMatchObject({
      path: '/api/chat.postMessage',
      headers: { authorization: 'Bearer xoxb-1' },
    });
  });

  it('that failed are retried, and those that have the message get nothing', async () => {
    receiver.answer = (response, { body }) => {
      const isOps = JSON.parse(body).channel === 'ops';
      response.writeHead(isOps ? 429 : 200, { 'retry-after': '7' }).end('{"ok":true}');
    };
    const first = await publish();
    expect(first).toMatchObject({
      state: 'successWithErrors',
      stateDetails: 'Some (1 of 3) Slack client calls failed. Errors: ops failed with status code: 429',
      next: 'retry',
      status: 429,
      retryAfter: '7',
      progress: { sent: ['general', 'C0123'] },
    });
    receiver.calls.length = 0;
    expect(await publish(first.progress)).toMatchObject({ state: 'successWithErrors', progress: first.progress });
    receiver.answer = answering(200);
    expect(await publish(first.progress)).toMatchObject({
      state: 'success',
      stateDetails: 'All (3) Slack client calls were successful.',
      next: 'done',
    });
    expect(channels()).toEqual(['ops', 'ops']);
  });

  it('are none, and nothing is sent', async () => {
    const published = await providersAt(receiver.url)
      .get('slack-app')!
      .publish(somePublication({ parameters: { accessToken: 'xoxb-1' } }));
    expect(published).toMatchObject({ state: 'success', next: 'done', status: null });
    expect(published.stateDetails).toMatch(/^Nothing was sent: /);
    expect(receiver.calls).toEqual([]);
  });

  it('continue when one is gone', async () => {
    receiver.answer = (response, { body }) =>
      answering(JSON.parse(body).channel === 'ops' ? 410 : 200)(response, receiver.calls[0]!);
    expect(await publish()).toMatchObject({ state: 'successWithErrors', next: 'retry' });
  });
});

it('slack posts to the channels of the tags, and to the default one only without tags', async () => {
  const parameters = parametersOf.slack!(receiver.url);
  const event = { ...goldenEvent, tags: [{ type: 'slack', value: 'ops' }] };
  const slack = providersAt(receiver.url).get('slack')!;
  await slack.publish(somePublication({ parameters, event }));
  const published = await slack.publish(somePublication({ parameters }));
  expect(receiver.calls.map(({ body }) => JSON.parse(body).channel)).toEqual(['#ops', '#general']);
  expect(published.details).toMatchObject({ url: receiver.url, channels: ['general'], username: 'Unleash' });
});
