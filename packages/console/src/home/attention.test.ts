import { expect, test } from 'vitest';
import { concernsOf } from './attention.ts';

const nothing = {
  ...{ integrations: [], states: [], stale: 0, potentiallyStale: 0, oldSdks: [] },
  unmatched: { count: 0, hasMore: false, since: '2026-01-30' },
};

test('nothing needs attention when all is well', () => {
  const integrations = [{ id: 1, provider: 'webhook', description: null, enabled: true }];
  const states = [{ integrationId: 1, circuit: 'closed' as const, failures: 0 }];
  expect(concernsOf({ ...nothing, integrations, states })).toEqual([]);
});

test('an integration that fails is named, one that is off is not', () => {
  const integrations = [
    { id: 1, provider: 'webhook', description: 'to the wiki', enabled: true },
    { id: 2, provider: 'slack', description: null, enabled: false },
    { id: 3, provider: 'webhook', description: null, enabled: true },
  ];
  const states = [
    { integrationId: 3, circuit: 'closed' as const, failures: 1 },
    { integrationId: 1, circuit: 'open' as const, failures: 5 },
    { integrationId: 2, circuit: 'open' as const, failures: 5 },
  ];
  const says = concernsOf({ ...nothing, integrations, states }).map((concern) => concern.says);
  expect(says).toEqual([
    'The integration webhook 1 “to the wiki” is paused, because it fails.',
    'The integration webhook 3 fails.',
  ]);
});

test('stale flags, signals and SDKs are counted', () => {
  const known = {
    ...nothing,
    ...{ stale: 1, potentiallyStale: 2, unmatched: { ...nothing.unmatched, count: 25, hasMore: true } },
    oldSdks: [{ sdkVersion: 'unleash-client-node:3.0.0', applications: ['shop', 'mail'] }],
  };
  expect(concernsOf(known).map(({ says }) => says)).toEqual([
    'More than 25 signals since 2026-01-30 started no action.',
    'unleash-client-node:3.0.0 is out of date. It runs in shop, mail.',
    'Time to clean up: 1 flag marked stale, and 2 flags older than their type lives.',
  ]);
});
