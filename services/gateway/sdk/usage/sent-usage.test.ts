import { expect, test } from 'vitest';
import {
  bulkBody,
  metricsBody,
  readBulk,
  readMetrics,
  readRegistration,
  registrationBody,
  type Sender,
  type SentUsage,
} from './sent-usage.ts';

const now = Date.parse('2026-03-10T10:30:00Z');
const backend: Sender = { sdkType: 'backend', address: '192.0.2.1', sdkHeader: undefined, now };
const interval = { start: '2026-03-10T10:28:00.000Z', stop: '2026-03-10T10:29:00.000Z' };
/** The only part. */
const only = (parts: Iterable<SentUsage>) => {
  const all = [...parts];
  expect(all).toHaveLength(1);
  return all[0]!;
};
const metrics = (body: unknown, sender = backend) => only(readMetrics(metricsBody.parse(body), sender));
const toggles = (sent: unknown) => metrics({ appName: 'shop', bucket: { ...interval, toggles: sent } });

test('a hundred variants of a flag are read, and the others count as one entry that is dropped', () => {
  const variants = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`variant-${index}`, 1]));
  const { counts, dropped } = toggles({ flag: { yes: 3, no: 1, variants }, other: { yes: 1, no: 0 } });
  expect(counts.map(({ featureName, variants: read }) => [featureName, read.length])).toEqual([
    ['flag', 100],
    ['other', 0],
  ]);
  expect(dropped).toBe(1);
});

test('what the Node SDK sends is counted, nulls and unknown fields included', () => {
  const sent = metrics({
    ...{ appName: 'shop', instanceId: 'one', connectionId: 'c', platformName: 'node', platformVersion: 'v24' },
    ...{ yggdrasilVersion: null, specVersion: '5.2.2', impactMetrics: [{ name: 'x' }] },
    bucket: { ...interval, toggles: { flag: { yes: 3, no: 1, variants: { blue: 3 } } } },
  });
  expect(sent).toEqual({
    counts: [
      {
        ...{ application: 'shop', featureName: 'flag', yes: 3, no: 1, variants: [['blue', 3]] },
        ...{ from: now - 120_000, until: now - 60_000 },
      },
    ],
    instances: [
      {
        ...{ application: 'shop', instanceId: 'one', sdkVersion: null, sdkType: 'backend', address: '192.0.2.1' },
        ...{ strategies: null, started: null, interval: null },
      },
    ],
    dropped: 0,
  });
});

test.each([
  ['no object', []],
  ['a text', 'metrics'],
  ['null', null],
  ['without an application', { bucket: { toggles: {} } }],
  ['with an application that is a number', { appName: 1 }],
  ['with a bucket that is a list', { appName: 'shop', bucket: [] }],
  ['with toggles that are a list', { appName: 'shop', bucket: { toggles: [] } }],
])('a body is refused: %s', (_, body) => {
  expect(metricsBody.safeParse(body).success).toBe(false);
});

test.each([
  ['no bucket', {}],
  ['a null as bucket', { bucket: null }],
  ['an empty bucket', { bucket: {} }],
  ['a bucket of wrong types', { bucket: { start: [], stop: {}, toggles: {} }, instanceId: 7 }],
])('a body is accepted with %s', (_, body) => {
  expect(metrics({ appName: 'shop', ...body })).toMatchObject({
    counts: [],
    instances: [{ instanceId: expect.any(String) }],
  });
});

test.each([
  ['a number', 7],
  ['a list', [1]],
  ['null', null],
  ['a negative count', { yes: -1, no: 0 }],
  ['a fraction', { yes: 0.5, no: 0 }],
  ['a text as count', { yes: '1', no: 0 }],
  ['an absurd count', { yes: 1e15, no: 0 }],
  ['a count beyond the numbers of 64 bits', JSON.parse('{"yes":1e400,"no":0}')],
])('an entry of a wrong kind is dropped, and the others count: %s', (_, entry) => {
  const { counts, dropped } = toggles({ bad: entry, good: { yes: 1 } });
  expect([counts.map(({ featureName, yes, no }) => [featureName, yes, no]), dropped]).toEqual([[['good', 1, 0]], 1]);
});

test('names that flags cannot have are dropped, those of Object count', () => {
  const yes = { yes: 1, no: 0 };
  const odd = { '': yes, ['x'.repeat(101)]: yes, 'nul\u0000': yes, '\ud800': yes };
  const { counts, dropped } = toggles({ ...odd, constructor: yes, toString: yes });
  expect([counts.map(({ featureName }) => featureName), dropped]).toEqual([['constructor', 'toString'], 4]);
});

test('variants of a wrong kind are dropped, and their flag counts', () => {
  const variants = { blue: 1, red: '1', ['x'.repeat(101)]: 1, none: 0 };
  expect(
    toggles({ a: { yes: 1, variants }, b: { yes: 1, variants: [1] }, c: { yes: 1, variants: null } }),
  ).toMatchObject({
    counts: [{ variants: [['blue', 1]] }, { variants: [] }, { variants: [] }],
    dropped: 2,
  });
});

test('a flag without evaluations is neither counted nor dropped', () => {
  expect(toggles({ idle: { yes: 0, no: 0 } })).toMatchObject({ counts: [], dropped: 0 });
});

test.each([
  ['an application whose name is too long', 'x'.repeat(256)],
  ['an application whose name cannot be stored', 'a\u0000'],
])('nothing of %s is counted', (_, appName) => {
  const sent = metrics({ appName, bucket: { ...interval, toggles: { a: { yes: 1 }, b: { yes: 1 } } } });
  expect(sent).toEqual({ counts: [], instances: [], dropped: 3 });
});

const minute = 60_000;
test.each([
  ['seconds', { start: (now - 2 * minute) / 1000, stop: (now - minute) / 1000 }, [-2, -1]],
  ['milliseconds', { start: now - 2 * minute, stop: now - minute }, [-2, -1]],
  ['none', {}, [0, 0]],
  ['a stop to come', { start: '2026-03-10T10:28:00Z', stop: '2999-01-01T00:00:00Z' }, [-2, 0]],
  ['a start to come', { start: '2999-01-01T00:00:00Z', stop: interval.stop }, [-1, -1]],
  ['the beginning of time', { start: 0, stop: '1970-01-01T00:00:00Z' }, [0, 0]],
  ['two days ago', { start: '2026-03-08T10:30:00Z', stop: interval.stop }, [-48 * 60, -1]],
  ['before two days ago', { start: '2026-03-08T10:29:59Z', stop: interval.stop }, [-1, -1]],
  ['nonsense', { start: 'soon', stop: -1e300 }, [0, 0]],
])('times can be wrong: %s', (_, times, [from, until]) => {
  const { counts } = metrics({ appName: 'shop', bucket: { ...times, toggles: { a: { yes: 1 } } } });
  expect(counts.map((count) => [(count.from - now) / minute, (count.until - now) / minute])).toEqual([[from, until]]);
});

const registration = (body: object, sender = backend) => only(readRegistration(registrationBody.parse(body), sender));

test('a registration says what the SDK is', () => {
  const body = {
    appName: 'shop',
    instanceId: 'one',
    sdkVersion: 'unleash-client-node:6.12.1',
    strategies: ['a', 'a', 1],
  };
  expect(registration({ ...body, started: '2026-03-10T10:00:00Z', interval: 60, unknown: null }).instances).toEqual([
    {
      ...{ application: 'shop', instanceId: 'one', sdkVersion: 'unleash-client-node:6.12.1', sdkType: 'backend' },
      ...{ address: '192.0.2.1', strategies: ['a'], started: '2026-03-10T10:00:00.000Z', interval: 60 },
    },
  ]);
});

test.each([
  ['wrong types', { strategies: 'a', started: {}, interval: 'soon', instanceId: null, sdkVersion: [] }],
  ['nothing else', {}],
  ['nulls', { strategies: null, started: null, interval: null }],
  ['a time that no calendar has', { started: 1e300 }],
  ['numbers beyond those of 64 bits', JSON.parse('{"started":1e400,"interval":-1e400}')],
])('a registration needs only an application: %s', (_, body) => {
  expect(registration({ appName: 'shop', ...body }).instances).toMatchObject([
    { instanceId: 'default', sdkVersion: null, strategies: null, started: null, interval: null },
  ]);
});

test('a registration with an empty list knows no strategies', () => {
  expect(registration({ appName: 'shop', strategies: [] }).instances).toMatchObject([{ strategies: [] }]);
});

test('a frontend SDK names itself in a header, and its address is not stored', () => {
  const frontend = { sdkType: 'frontend' as const, address: null, sdkHeader: 'unleash-client-js:3.7.5', now };
  expect(metrics({ appName: 'web' }, frontend).instances).toMatchObject([
    { sdkVersion: 'unleash-client-js:3.7.5', sdkType: 'frontend', address: null },
  ]);
});

test('what another server received is read entry by entry', () => {
  const body = {
    applications: [
      { appName: 'shop', instanceId: 'one', environment: 'any', sdkType: 'frontend', sdkVersion: 'a:1' },
      { appName: 'blog', instanceId: 'two', strategies: ['a'], sdkType: 'other' },
      ...[{ instanceId: 'three' }, null, 4],
    ],
    metrics: [
      { featureName: 'a', appName: 'shop', environment: 'any', timestamp: '2026-03-10T09:00:00Z', yes: 1, no: 2 },
      { featureName: 'b', appName: 'shop', timestamp: '2026-03-10T10:00:00Z', yes: 1 },
      ...[{ featureName: 'c', yes: 1 }, { appName: 'shop', yes: 1 }, 'x'],
    ],
  };
  const sent = only(readBulk(bulkBody.parse(body), backend));
  expect(sent.instances.map((one) => [one.application, one.sdkType, one.address, one.strategies])).toEqual([
    ['shop', 'frontend', null, null],
    ['blog', null, null, ['a']],
  ]);
  expect(sent.counts.map(({ featureName, from, until }) => [featureName, from - now, until - now])).toEqual([
    ['a', -90 * minute, -30 * minute],
    ['b', -30 * minute, 0],
  ]);
  expect(sent.dropped).toBe(6);
  expect(only(readBulk(bulkBody.parse({ metrics: null }), backend))).toEqual({ counts: [], instances: [], dropped: 0 });
  expect(bulkBody.safeParse({ metrics: {} }).success).toBe(false);
});

test('a large report is read in parts, each entry once', () => {
  const names = Array.from({ length: 2_500 }, (_, index) => `flag-${index}`);
  const toggles = Object.fromEntries(names.map((name) => [name, { yes: 1 }]));
  const body = metricsBody.parse({ appName: 'shop', bucket: { ...interval, toggles } });
  const ofMetrics = [...readMetrics(body, backend)];
  const applications = [{ appName: 'shop' }];
  const entries = names.map((featureName) => ({ featureName, appName: 'shop', yes: 1 }));
  const ofBulk = [...readBulk(bulkBody.parse({ applications, metrics: entries }), backend)];
  for (const parts of [ofMetrics, ofBulk]) {
    expect(parts).toHaveLength(3);
    expect(parts.flatMap(({ counts }) => counts.map(({ featureName }) => featureName))).toEqual(names);
    expect(parts.flatMap(({ instances }) => instances)).toHaveLength(1);
  }
});
