import type { Event } from '@yardarm/shared/contracts/events';
import { OutgoingFailed, OutgoingRefused, type OutgoingRequest } from '@yardarm/shared/http';
import { describe, expect, it } from 'vitest';
import type { Publication } from '../provider.ts';
import { webhookBody, webhookHeaders, webhookProvider } from './publisher.ts';

const event: Event = {
  id: 42,
  createdAt: '2026-03-01T12:00:00.000Z',
  type: 'feature-created',
  createdBy: 'ada@example.com',
  createdByUserId: 1,
  environment: null,
  project: 'default',
  featureName: 'check"out',
  data: { description: '<b>&' },
  preData: null,
  tags: [],
};

const publication = (parameters: Record<string, string> = {}, over: Partial<Publication> = {}): Publication => ({
  integrationId: 7,
  parameters: { url: 'https://hooks.example/T00/secret?key=secret', ...parameters },
  event,
  eventJson: JSON.stringify(event),
  traceparent: null,
  signal: new AbortController().signal,
  ...over,
});

const bodyOf = (bodyTemplate: string) => webhookBody(publication({ bodyTemplate }));
const nowMs = Date.parse('2026-03-01T12:00:01.900Z');

describe('the body of a webhook', () => {
  it('is the event as it is without a template', () => {
    expect(webhookBody(publication())).toBe(JSON.stringify(event));
    expect(bodyOf('')).toBe(JSON.stringify(event));
  });

  it('is the template filled in with the event, its JSON and its Markdown', () => {
    expect(bodyOf('{{event.type}} by {{event.createdBy}} ({{event.id}})')).toBe(
      'feature-created by ada@example.com (42)',
    );
    expect(JSON.parse(bodyOf('{"wrapped":{{{eventJson}}}}'))).toEqual({ wrapped: event });
    expect(bodyOf('{{{eventMarkdown}}}')).toBe(
      '**ada@example.com** triggered **feature-created** on flag **check"out** in project **default**',
    );
  });

  it('escapes values where braces are double', () => {
    expect(bodyOf('{{event.data.description}}')).toBe('&lt;b&gt;&amp;');
  });

  it('is empty where a template names what is not there', () => {
    expect(bodyOf('[{{event.nothing.at.all}}{{>partial}}]')).toBe('[]');
  });
});

describe('the headers of a webhook', () => {
  it('carry the id that stays, the time, who we are, and the trace', () => {
    const headers = webhookHeaders(
      publication({}, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }),
      nowMs,
    );
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'yardarm',
      'webhook-id': 'evt_7_42',
      'webhook-timestamp': String(Math.floor(nowMs / 1000)),
      traceparent: expect.stringMatching(/^00-a{32}-[0-9a-f]{16}-01$/),
    });
  });

  it('carry content type, authorization and own headers, whose names win in any case', () => {
    const customHeaders = '{"X-Team":"a","Content-Type":"application/cloudevents+json"}';
    expect(
      webhookHeaders(publication({ contentType: 'text/plain', authorization: 'Bearer s', customHeaders }), nowMs),
    ).toMatchObject({
      'content-type': 'application/cloudevents+json',
      authorization: 'Bearer s',
      'x-team': 'a',
    });
  });
});

describe('what a webhook came to', () => {
  const publishWith = (answer: () => Promise<{ status: number; headers?: Record<string, string> }>) => {
    const sent: OutgoingRequest[] = [];
    const provider = webhookProvider({
      async send(request) {
        sent.push(request);
        return { headers: {}, body: 'said', bodyTruncated: false, durationMs: 1, ...(await answer()) };
      },
    });
    return { sent, published: provider.publish(publication()) };
  };

  it('is success, with the origin of the url alone', async () => {
    const { sent, published } = publishWith(async () => ({ status: 202 }));
    expect(await published).toEqual({
      state: 'success',
      stateDetails: 'Webhook request was successful with status code: 202.',
      details: { url: 'https://hooks.example', body: JSON.stringify(event) },
      status: 202,
      errorCode: null,
      retryAfter: null,
      responseBody: 'said',
    });
    expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://hooks.example/T00/secret?key=secret' });
  });

  it.each([301, 400, 404, 429, 500])('is failed with status code %i, and when to come back', async (status) => {
    const { published } = publishWith(async () => ({ status, headers: { 'retry-after': '9' } }));
    expect(await published).toMatchObject({
      state: 'failed',
      stateDetails: `Webhook request failed with status code: ${status}`,
      status,
      retryAfter: '9',
    });
  });

  it('is failed with the code of the failure where a status would stand', async () => {
    const { published } = publishWith(() => Promise.reject(new OutgoingFailed('ECONNREFUSED', 'ECONNREFUSED')));
    expect(await published).toMatchObject({
      state: 'failed',
      stateDetails: 'Webhook request failed with status code: ECONNREFUSED',
      status: null,
      errorCode: 'ECONNREFUSED',
    });
  });

  it('is failed with words when it may not be sent', async () => {
    const { published } = publishWith(() => Promise.reject(new OutgoingRefused('the address is not a public one')));
    expect(await published).toMatchObject({ state: 'failed', errorCode: 'refused' });
    expect((await published).stateDetails).toContain('refused and not sent: the address is not a public one.');
  });

  it('shows a very long body by its beginning', async () => {
    const provider = webhookProvider({
      send: async () => ({ status: 200, headers: {}, body: '', bodyTruncated: false, durationMs: 1 }),
    });
    const { details } = await provider.publish(publication({}, { eventJson: 'x'.repeat(100_000) }));
    expect((details.body as string).length).toBe(65_537);
  });
});
