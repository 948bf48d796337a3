import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { baseUrl, goldenEvent, somePublication } from '../../testing/publications.ts';
import type { Publication } from '../provider.ts';
import { webhookBody, webhookHeaders } from './format.ts';

const event = { ...goldenEvent, featureName: 'check"out', data: { description: '<b>&' } };
const publication = (parameters: Record<string, string> = {}, over: Partial<Publication> = {}) =>
  somePublication({ event, ...over, parameters: { url: 'https://hooks.example/T00', ...parameters } });
const bodyOf = (bodyTemplate: string, parameters = {}) =>
  webhookBody(publication({ bodyTemplate, ...parameters }), baseUrl);
const now = new Date('2026-03-01T12:00:01.900Z');
const headersOf = (parameters = {}, over: Partial<Publication> = {}) =>
  webhookHeaders(publication(parameters, over), '{}', now);

describe('the body of a webhook', () => {
  it('is the unchanged event without a template', () => {
    expect(webhookBody(publication(), baseUrl)).toBe(JSON.stringify(event));
    expect(bodyOf('')).toBe(JSON.stringify(event));
  });

  it('is the template filled in with the event, its JSON and its Markdown', () => {
    expect(bodyOf('{{event.type}} by {{event.createdBy}} ({{event.id}})')).toBe(
      'feature-environment-enabled by ada@example.com (42)',
    );
    expect(JSON.parse(bodyOf('{"wrapped":{{{eventJson}}}}'))).toEqual({ wrapped: event });
    expect(bodyOf('{{{eventMarkdown}}}')).toBe(
      `**ada@example.com** enabled **[check"out](${baseUrl}/projects/default/features/check%22out)** for the **production** environment in project **[default](${baseUrl}/projects/default)**`,
    );
  });

  it('escapes values where braces are double', () => {
    expect(bodyOf('{{event.data.description}}')).toBe('&lt;b&gt;&amp;');
  });

  it('is empty for a name that the event does not have', () => {
    expect(bodyOf('[{{event.nothing.at.all}}{{>partial}}]')).toBe('[]');
  });

  it('stays JSON with any name, and keeps backslashes in a body that is not JSON', () => {
    const template = '{"flag":"{{event.featureName}}","text":"{{eventMarkdown}}"}';
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'"\\\n\t\u0000\u2028{}[]&<a', '\ud800', '{{', '\u001b') }),
        (featureName) => {
          const hostile = publication({ bodyTemplate: template }, { event: { ...event, featureName } });
          expect(Object.keys(JSON.parse(webhookBody(hostile, baseUrl)))).toEqual(['flag', 'text']);
        },
      ),
    );
    const backslash = { event: { ...event, featureName: 'a\\b {{event.createdBy}}' } };
    const parameters = { bodyTemplate: '{{event.featureName}}', contentType: 'text/plain' };
    expect(webhookBody(publication(parameters, backslash), null)).toBe('a\\b {{event.createdBy}}');
  });
});

describe('the headers of a webhook', () => {
  it('carry the constant id, the time, our user agent and the trace', () => {
    expect(headersOf({}, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` })).toEqual({
      'content-type': 'application/json',
      'user-agent': 'yardarm',
      'webhook-id': 'evt_7_42',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      traceparent: expect.stringMatching(/^00-a{32}-[0-9a-f]{16}-01$/),
    });
  });

  it('carry another id when the database was restored before the event', () => {
    const epoch = '5e0ab8d2-6d0b-4f3e-9d3c-2f5a7c1b9e44';
    expect(headersOf({}, { epoch })['webhook-id']).toBe(`evt_7_42_${epoch}`);
  });

  it('carry content type, authorization and own headers, whose names win in any case', () => {
    const customHeaders = '{"X-Team":"a","Content-Type":"application/cloudevents+json"}';
    expect(headersOf({ contentType: 'text/plain', authorization: 'Bearer s', customHeaders })).toMatchObject({
      'content-type': 'application/cloudevents+json',
      authorization: 'Bearer s',
      'x-team': 'a',
    });
  });
});

describe('the signature of a webhook', () => {
  it('equals the example of the specification', () => {
    // "sign function works" of
    // https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/javascript/src/index.test.ts
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const signature = new Webhook(secret).sign(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1614265330_000),
      '{"test": 2432232314}',
    );
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('has one entry per secret, and each verifies the sent body', () => {
    const [old, fresh] = [24, 64].map((size) => `whsec_${Buffer.alloc(size, size).toString('base64')}`);
    const signed = publication({ signingSecret: `${old} ${fresh}`, bodyTemplate: '{"by":"{{event.createdBy}}"}' });
    const body = webhookBody(signed, null);
    const headers = webhookHeaders(signed, body, new Date());
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [old!, fresh!]) {
      expect(new Webhook(secret).verify(body, headers)).toEqual({ by: 'ada@example.com' });
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature');
    }
  });
});
