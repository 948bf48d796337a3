import type { UsageInstance, UsageRow } from '@yardarm/shared/contracts/flags';
import { expect, test } from 'vitest';
import { hourlyUsage, lastUses, reportedApplications, reportedSdks } from './usage.ts';

const now = Date.parse('2026-03-10T10:30:00Z');
const row = (more: Partial<UsageRow>): UsageRow => ({
  ...{ environment: 'production', application: 'shop', featureName: 'a', hour: '2026-03-10T10:00:00.000Z' },
  ...{ yes: 1, no: 2, variants: {}, lastMoment: '2026-03-10T10:20:00.000Z', ...more },
});
const instance = (more: Partial<UsageInstance>): UsageInstance => ({
  ...{ environment: 'production', application: 'shop', instanceId: 'one', sdkVersion: 'a:1', sdkType: 'backend' },
  ...{
    address: null,
    strategies: null,
    started: null,
    interval: null,
    lastMoment: '2026-03-10T10:20:00.000Z',
    ...more,
  },
});
const hoursOf = (rows: UsageRow[], keepDays = 2) => hourlyUsage(rows, keepDays, now).map(({ hour }) => hour);

test.each([
  ['within an hour is that hour', '2026-03-10T09:59:59.999Z', ['2026-03-10T09:00:00.000Z']],
  ['in the future is the current hour', '2026-03-10T11:00:00.000Z', ['2026-03-10T10:00:00.000Z']],
  ['on the first day that is kept is kept', '2026-03-08T00:00:00.000Z', ['2026-03-08T00:00:00.000Z']],
  ['before it is dropped', '2026-03-07T23:00:00.000Z', []],
  ['before 1970 is dropped', '1901-01-01T00:30:00.000Z', []],
])('a time %s', (_, hour, expected) => {
  expect(hoursOf([row({ hour })])).toEqual(expected);
});

test('rows with the same flag, environment, application and hour are one row, also with names of Object', () => {
  const variants = { constructor: 1, blue: 2 };
  const rows = [row({ variants }), row({ variants, hour: '2026-03-10T10:59:00.000Z' }), row({ application: 'blog' })];
  expect(hourlyUsage(rows, 2, now)).toMatchObject([
    { application: 'shop', yes: 2, no: 4, variants: { constructor: 2, blue: 4 } },
    { application: 'blog', yes: 1, no: 2 },
  ]);
});

test('the last use of a flag in an environment is over all applications, without rows that count nothing', () => {
  const rows = [
    row({ lastMoment: '2026-03-10T10:10:00.000Z' }),
    row({ lastMoment: '2026-03-10T10:15:00.000Z', application: 'blog' }),
    row({ lastMoment: '2026-03-10T10:25:00.000Z', yes: 0, no: 0 }),
    row({ environment: 'development' }),
  ];
  expect(lastUses(rows).map(({ environment, lastMoment }) => [environment, lastMoment.toISOString()])).toEqual([
    ['production', '2026-03-10T10:15:00.000Z'],
    ['development', '2026-03-10T10:20:00.000Z'],
  ]);
});

test('an application has the first token that reported it in an environment, or the first client token', () => {
  const rows = [1, 2, 3, 4].map((tokenId) => row({ tokenId, isFrontend: tokenId < 3 }));
  const reporters = (some: UsageRow[]) => reportedApplications(some, [])[0]!.reporters;
  expect(reporters(rows)).toEqual(new Map([['production', { tokenId: 3, isFrontend: false }]]));
  expect(reporters(rows.slice(0, 2))).toEqual(new Map([['production', { tokenId: 1, isFrontend: true }]]));
});

test('an application of rows and instances is one, with its environments and its registration', () => {
  const of = (...environments: string[]) =>
    new Map(environments.map((name) => [name, { tokenId: null, isFrontend: false }]));
  const registered = instance({ strategies: ['default'] });
  const instances = [registered, instance({ environment: 'development' })];
  expect(reportedApplications([row({}), row({ application: 'blog' })], instances)).toEqual([
    { name: 'shop', reporters: of('production', 'development'), registration: registered },
    { name: 'blog', reporters: of('production'), registration: null },
  ]);
});

test('an SDK version of an application is reported once, by the instance that registered', () => {
  const registered = instance({ instanceId: 'two', strategies: [] });
  const instances = [instance({}), registered, instance({ sdkVersion: null }), instance({ application: 'blog' })];
  expect(reportedSdks(instances).map(({ application, instanceId }) => [application, instanceId])).toEqual([
    ['shop', 'two'],
    ['blog', 'one'],
  ]);
});
