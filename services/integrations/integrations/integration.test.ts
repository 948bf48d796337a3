import { keyringOf } from '@yardarm/shared/encryption';
import { describe, expect, it } from 'vitest';
import { createProviders } from '../providers/index.ts';
import {
  type Configuration,
  checkConfiguration,
  type Filter,
  hasSameFilters,
  integrationEventData,
  isSameConfiguration,
  mask,
  openParameters,
  receives,
  type StoredIntegration,
  sealParameters,
  toIntegration,
} from './integration.ts';

const unused = () => Promise.reject(new Error('not here'));
const noClient = { send: unused, check: unused };
const settings = { baseUrl: null, slackApiUrl: 'https://slack.example', datadogUrl: 'https://datadog.example' };
const providers = createProviders(noClient, settings);
const webhook = providers.get('webhook')!;
const url = 'https://hooks.example/T00/secret-path';

const sent = (over: Partial<Configuration> = {}): Configuration => ({
  provider: 'webhook',
  description: null,
  enabled: true,
  parameters: { url },
  events: ['feature-created'],
  projects: [],
  environments: [],
  ...over,
});

const keys = keyringOf(Buffer.alloc(32, 1));

const stored = (over: Partial<Configuration> = {}): StoredIntegration => ({
  ...sent(over),
  parameters: sealParameters(keys, sent(over)),
  id: 7,
  maySendEventsOfPeople: true,
  createdAt: null,
  fromEventId: 3,
  version: 1,
  circuit: { failures: 0, failingSince: null, pausedUntil: null },
});

function refusal(configuration: Configuration, kept = {}, provider = webhook): { message: string; paths: string[] } {
  try {
    checkConfiguration(configuration, provider, kept);
  } catch (error) {
    const { code, message, details } = error as {
      code: string;
      message: string;
      details: { path: string; message: string }[];
    };
    expect(code).toBe('bad-data');
    return {
      message: `${message} ${details.map((detail) => detail.message).join(' ')}`,
      paths: details.map(({ path }) => path),
    };
  }
  throw new Error('was accepted');
}

describe('a configuration is refused by', () => {
  it.each([
    ['not a url', '.parameters.url'],
    ['ftp://example.com', '.parameters.url'],
    ['https://user:pass@example.com', '.parameters.url'],
    ['', '.parameters.url'],
  ])('the url "%s", which the message does not repeat', (bad, path) => {
    const { message, paths } = refusal(sent({ parameters: { url: bad } }));
    expect(paths).toEqual([path]);
    if (bad !== '') expect(message).not.toContain(bad);
  });

  it('no url at all', () => {
    expect(refusal(sent({ parameters: {} })).message).toContain(
      'The .parameters.url property is required. You sent undefined.',
    );
  });

  it.each([
    ['customHeaders', '{'],
    ['customHeaders', '[]'],
    ['customHeaders', 'null'],
    ['customHeaders', '{"x-secret":1}'],
    ['customHeaders', '{"bad name":"x"}'],
    ['customHeaders', '{"x-a":"b\\r\\nx-c: d"}'],
    ['customHeaders', '{"content-length":"4"}'],
    ['customHeaders', '{"Webhook-Id":"mine"}'],
    ['customHeaders', '{"host":"elsewhere"}'],
    ['authorization', 'Bearer x\r\ny: z'],
    ['contentType', 'text/plain\n'],
    ['bodyTemplate', '{{#event}}'],
    ['bodyTemplate', '{{event'],
  ])('%s of %j, hidden', (name, value) => {
    const { message, paths } = refusal(sent({ parameters: { url, [name]: value } }));
    expect(paths).toEqual([`.parameters.${name}`]);
    expect(message).toContain('You sent ***.');
    expect(message).not.toContain(value);
  });

  it('a template longer than any message', () => {
    const { message } = refusal(sent({ parameters: { url, bodyTemplate: 'x'.repeat(10_001) } }));
    expect(message).toContain(
      'The .parameters.bodyTemplate property should have at most 10000 characters. You sent ***.',
    );
  });

  it('an unknown event type, named with its place', () => {
    const { message } = refusal(sent({ events: ['*', 'feature-exploded'] }));
    expect(message).toContain(
      'The .events[1] property should be an event type, the beginning of some with * behind it, or *. You sent "feature-exploded".',
    );
  });

  it.each(['feature*-created', '**', 'nothing-*', '*-created', ''])(
    'the pattern "%s", which matches no type',
    (pattern) => {
      expect(refusal(sent({ events: [pattern] })).paths).toEqual(['.events[0]']);
    },
  );

  it('several problems, all reported at once', () => {
    expect(refusal(sent({ events: ['a', 'b'], parameters: {} })).paths).toEqual([
      '.parameters.url',
      '.events[0]',
      '.events[1]',
    ]);
  });

  it('a mask without a stored value', () => {
    expect(refusal(sent({ parameters: { url: mask } })).paths).toEqual(['.parameters.url']);
    expect(refusal(sent({ parameters: { url, authorization: mask } })).paths).toEqual(['.parameters.authorization']);
  });

  it('a size that its events could not carry', () => {
    expect(refusal(sent({ description: 'x'.repeat(200_001) })).message).toContain('at most 200000 bytes');
  });
});

it('duplicates are stored once', () => {
  const lists = { events: ['*', 'feature-*', '*'], projects: ['a', 'b', 'a'], environments: ['x', 'x'] };
  expect(checkConfiguration(sent(lists), webhook)).toMatchObject({
    events: ['*', 'feature-*'],
    projects: ['a', 'b'],
    environments: ['x'],
  });
});

describe('parameters', () => {
  it('that are masked keep the stored value, and others are replaced', () => {
    const kept = { url, authorization: 'Bearer old' };
    const parameters = { url: mask, authorization: 'Bearer new', contentType: 'text/plain' };
    expect(checkConfiguration(sent({ parameters }), webhook, kept).parameters).toEqual({
      url,
      authorization: 'Bearer new',
      contentType: 'text/plain',
    });
  });

  it('that are masked are kept while the destination stays, masked or not', () => {
    const kept = { url, authorization: 'Bearer old' };
    for (const again of [url, mask]) {
      const parameters = { url: again, authorization: mask, bodyTemplate: '{{event.type}}' };
      expect(checkConfiguration(sent({ parameters }), webhook, kept).parameters).toMatchObject(kept);
    }
  });

  it('that are masked are kept for no other destination, and the refusal names each', () => {
    const kept = { url, authorization: 'Bearer old', customHeaders: '{"x-key":"old"}', signingSecret: '' };
    const parameters = { ...kept, url: 'https://elsewhere.example', authorization: mask, customHeaders: mask };
    const { message, paths } = refusal(sent({ parameters }), kept);
    expect(paths).toEqual(['.parameters.authorization', '.parameters.customHeaders']);
    expect(message).toContain(
      'The .parameters.authorization property should be sent again unmasked, because .parameters.url changes. You sent ***.',
    );
    const anew = { ...parameters, authorization: 'Bearer new', customHeaders: '' };
    expect(checkConfiguration(sent({ parameters: anew }), webhook, kept).parameters).toEqual({
      ...anew,
      signingSecret: '',
    });
  });

  it.each([
    ['given where there was none', {}, { url: 'https://elsewhere.example' }],
    ['changed', { url: 'https://one.example' }, { url: 'https://two.example' }],
    ['left out', { url: 'https://one.example' }, {}],
  ])('that are masked are not kept either when a destination that need not be given is %s', (_how, before, after) => {
    const configuration = sent({ provider: 'datadog', parameters: { ...after, apiKey: mask } });
    const { paths } = refusal(configuration, { ...before, apiKey: 'old' }, providers.get('datadog')!);
    expect(paths).toEqual(['.parameters.apiKey']);
  });

  it('that the provider does not define are left out', () => {
    const parameters = JSON.parse(`{"url":"${url}","extra":"1","__proto__":"2","constructor":"3"}`);
    expect(checkConfiguration(sent({ parameters }), webhook).parameters).toEqual({ url });
  });

  it('are masked if they are sensitive, and all of them if their provider is unknown', () => {
    const integration = stored({ parameters: { url, authorization: 'Bearer secret', contentType: 'text/plain' } });
    expect(toIntegration(integration, keys, webhook.definition).parameters).toEqual({
      url: mask,
      authorization: mask,
      contentType: 'text/plain',
    });
    expect(Object.values(toIntegration(integration, keys).parameters)).toEqual([mask, mask, mask]);
  });

  it('are encrypted, and decrypt for their own provider only', () => {
    const integration = stored();
    expect(JSON.stringify(integration)).not.toContain('secret-path');
    expect(openParameters(keys, integration)).toEqual({ url });
    expect(() => openParameters(keys, { ...integration, provider: 'slack' })).toThrow();
  });

  it('are in no event', () => {
    expect(integrationEventData(stored())).toEqual({
      id: 7,
      provider: 'webhook',
      description: null,
      enabled: true,
      events: ['feature-created'],
      projects: [],
      environments: [],
      maySendEventsOfPeople: true,
    });
  });
});

describe('two configurations', () => {
  it('are the same whatever the order of their parameters', () => {
    const a = sent({ parameters: { url, contentType: 'a' } });
    expect(isSameConfiguration(a, sent({ parameters: { contentType: 'a', url } }))).toBe(true);
  });

  it.each<Partial<Configuration>>([
    { description: '' },
    { enabled: false },
    { parameters: { url: `${url}2` } },
    { events: [] },
    { projects: ['a'] },
    { environments: ['a'] },
  ])('differ by %o', (over) => {
    expect(isSameConfiguration(sent(), sent(over))).toBe(false);
  });
});

it('two configurations have the same filters if only other properties differ', () => {
  expect(hasSameFilters(sent(), sent({ description: 'x', enabled: false }))).toBe(true);
  for (const over of [{ events: ['*'] }, { projects: ['a'] }, { environments: ['a'] }]) {
    expect(hasSameFilters(sent(), sent(over))).toBe(false);
  }
});

describe('an integration', () => {
  const filter = (over: Partial<Filter> = {}): Filter => ({
    enabled: true,
    events: ['feature-created'],
    projects: [],
    environments: [],
    maySendEventsOfPeople: true,
    fromEventId: 10,
    filteredSinceEventId: 0,
    ...over,
  });
  const event = { id: 11, type: 'feature-created', project: 'default', environment: 'production' } as const;
  const notOfPeople = { maySendEventsOfPeople: false };

  it.each<[string, Partial<Filter>, object, boolean]>([
    ['of its types', {}, {}, true],
    ['of any type when it lists *', { events: ['*'] }, { type: 'user-created' }, true],
    ['of the types that begin with a pattern', { events: ['feature-*'] }, {}, true],
    ['of people', { events: ['*'] }, { type: 'pat-created' }, true],
    ['of people not if it may not be sent them', { events: ['*'], ...notOfPeople }, { type: 'pat-created' }, false],
    ['of flags if it may not be sent events of people', notOfPeople, {}, true],
    ['of no type that does not match', { events: ['feature-*'] }, { type: 'user-created' }, false],
    ['of no other type', {}, { type: 'feature-archived' }, false],
    [
      'of the type that is emitted instead',
      { events: ['feature-updated'] },
      { type: 'feature-metadata-updated' },
      true,
    ],
    [
      'of the type that is emitted instead, for variants',
      { events: ['feature-variants-updated'] },
      { type: 'feature-environment-variants-updated' },
      true,
    ],
    ['of no type when it lists none', { events: [] }, {}, false],
    ['not while it is disabled', { enabled: false }, {}, false],
    ['after its begin', {}, { id: 12 }, true],
    ['not the last before its begin', {}, { id: 10 }, false],
    ['not those that intake had handled when its filters changed', { filteredSinceEventId: 11 }, {}, false],
    ['of its projects', { projects: ['other', 'default'] }, {}, true],
    ['of all projects when it lists *', { projects: ['*'] }, {}, true],
    ['of no other project', { projects: ['other'] }, {}, false],
    ['without a project, whatever its projects', { projects: ['other'] }, { project: null }, true],
    ['of its environments', { environments: ['production'] }, {}, true],
    ['of no other environment', { environments: ['development'] }, {}, false],
    [
      'without an environment, whatever its environments',
      { environments: ['development'] },
      { environment: null },
      true,
    ],
    [
      'of its project, but another environment not',
      { projects: ['default'], environments: ['development'] },
      {},
      false,
    ],
  ])('gets events %s', (_title, over, changes, expected) => {
    expect(receives(filter(over), { ...event, ...changes })).toBe(expected);
  });
});
