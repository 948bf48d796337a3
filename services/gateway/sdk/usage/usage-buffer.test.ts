import { maxUsageInstances, maxUsageRows } from '@yardarm/shared/contracts/flags';
import { expect, test } from 'vitest';
import type { FlagCount, SentInstance } from './sent-usage.ts';
import { type UsageBatch, UsageBuffer } from './usage-buffer.ts';

const now = Date.parse('2026-03-10T10:30:00Z');
const count = (more: Partial<FlagCount> = {}): FlagCount => ({
  ...{ application: 'shop', featureName: 'a', from: now - 60_000, until: now, yes: 1, no: 2, variants: [], ...more },
});
const instance = (more: Partial<SentInstance> = {}): SentInstance => ({
  ...{ application: 'shop', instanceId: 'one', sdkVersion: null, sdkType: 'backend', address: null },
  ...{ strategies: null, started: null, interval: null, ...more },
});
const add = (buffer: UsageBuffer, counts: FlagCount[], instances: SentInstance[] = [], environment = 'production') =>
  buffer.add({ environment, tokenId: 7, isFrontend: false }, { counts, instances, dropped: 0 }, now);
/** All of a small buffer for each token. */
const small = {
  ...{ bytes: 20_000, bytesPerToken: 20_000, bytesOfFrontends: 20_000, bytesPerFrontend: 20_000 },
  bytesPerApplication: 10_000,
};
const rowsOf = (buffer: UsageBuffer) => [...buffer.take()].flatMap(({ rows }) => rows);

test('counts of one flag and hour are summed up, by application and environment, and taken once', () => {
  const buffer = new UsageBuffer();
  add(buffer, [count({ variants: [['blue', 1]] }), count({ variants: [['blue', 1]] })]);
  add(buffer, [count({ from: now - 3_600_000, until: now - 100_000 }), count({ application: 'blog' })]);
  add(buffer, [count()], [], 'development');
  const row = {
    environment: 'production',
    application: 'shop',
    featureName: 'a',
    yes: 1,
    no: 2,
    variants: {},
    tokenId: 7,
  };
  const current = { hour: '2026-03-10T10:00:00.000Z', lastMoment: '2026-03-10T10:30:00.000Z' };
  const last = { hour: '2026-03-10T09:00:00.000Z', lastMoment: '2026-03-10T10:28:20.000Z' };
  expect(rowsOf(buffer)).toEqual([
    { ...row, ...current, yes: 2, no: 4, variants: { blue: 2 } },
    { ...row, ...last },
    { ...row, ...current, application: 'blog' },
    { ...row, ...current, environment: 'development' },
  ]);
  expect([...buffer.take()]).toEqual([]);
});

test('an application has the first token that reported it, or the first client token, also in its instances', () => {
  const buffer = new UsageBuffer();
  const by = (tokenId: number, isFrontend: boolean) => ({ environment: 'production', tokenId, isFrontend });
  const sent = (application: string) => ({ counts: [count({ application })], instances: [instance({ application })] });
  for (const [tokenId, isFrontend] of [
    [1, true],
    [2, true],
    [3, false],
    [4, false],
  ] as const)
    buffer.add(by(tokenId, isFrontend), { ...sent('both'), dropped: 0 }, now);
  buffer.add(by(1, true), { ...sent('web'), dropped: 0 }, now);
  const [{ rows, instances }] = [...buffer.take()] as [UsageBatch];
  for (const entries of [rows, instances]) {
    expect(entries.map(({ application, tokenId, isFrontend }) => [application, tokenId, isFrontend])).toEqual([
      ['both', 3, undefined],
      ['web', 1, true],
    ]);
  }
});

test('a row has the first token that reported it, or the first client token, and not that of its application', () => {
  const buffer = new UsageBuffer();
  const add = (tokenId: number, isFrontend: boolean, ...names: string[]) => {
    const counts = names.map((featureName) => count({ featureName }));
    buffer.add({ environment: 'production', tokenId, isFrontend }, { counts, instances: [], dropped: 0 }, now);
  };
  add(1, true, 'invented', 'both');
  add(2, false, 'both', 'real');
  add(3, true, 'real');
  const [{ rows }] = [...buffer.take()] as [UsageBatch];
  expect(rows.map(({ featureName, tokenId, isFrontend }) => [featureName, tokenId, isFrontend])).toEqual([
    ['invented', 1, true],
    ['both', 2, undefined],
    ['real', 2, undefined],
  ]);
});

test('an instance is one, with what it said last of itself', () => {
  const buffer = new UsageBuffer();
  const registered = instance({ sdkVersion: 'a:1', strategies: ['x'], interval: 60 });
  const repeated = instance({ interval: 30 });
  add(buffer, [], [instance(), registered, repeated, instance({ address: '192.0.2.1' })]);
  expect([...buffer.take()]).toMatchObject([
    { rows: [], instances: [{ sdkVersion: 'a:1', strategies: ['x'], interval: 30, address: '192.0.2.1' }] },
  ]);
});

test('a batch has a limited number of rows and instances, and each its own id', () => {
  const buffer = new UsageBuffer();
  const counts = Array.from({ length: 2 * maxUsageRows + 1 }, (_, index) => count({ featureName: `f-${index}` }));
  const instances = Array.from({ length: maxUsageInstances + 1 }, (_, index) => instance({ instanceId: `i-${index}` }));
  expect(add(buffer, counts, instances)).toBe(0);
  const batches = [...buffer.take()];
  expect(new Set(batches.map(({ batchId }) => batchId)).size).toBe(batches.length);
  for (const { rows, instances: some } of batches) {
    expect(rows.length).toBeLessThanOrEqual(maxUsageRows);
    expect(some.length).toBeLessThanOrEqual(maxUsageInstances);
    // What a NATS message may have, with its headers.
    expect(Buffer.byteLength(JSON.stringify({ rows, instances: some }))).toBeLessThan(1_000_000);
  }
  expect(batches.flatMap(({ rows }) => rows)).toHaveLength(counts.length);
});

test('beyond the memory of an application its new names are dropped; known ones and others count', () => {
  const buffer = new UsageBuffer(small);
  const invented = Array.from({ length: 100 }, (_, index) => count({ featureName: `invented-${index}` }));
  const dropped = add(buffer, invented);
  expect(dropped).toBeGreaterThan(70);
  expect(add(buffer, [count({ featureName: 'invented-0' }), count({ application: 'blog' })])).toBe(0);
  const variants = Array.from({ length: 200 }, (_, index): [string, number] => [`v-${index}`, 1]);
  expect(add(buffer, [count({ application: 'blog', variants })])).toBeGreaterThan(90);
  expect(add(buffer, [], [instance({ instanceId: 'x'.repeat(255) })])).toBe(1);
  const rows = rowsOf(buffer);
  expect(rows.find(({ featureName }) => featureName === 'invented-0')?.yes).toBe(2);
  expect(rows.find(({ application }) => application === 'blog')?.yes).toBe(2);
  // The memory is free again.
  expect(add(buffer, invented.slice(0, 10))).toBe(0);
});

test('beyond all memory new applications are dropped', () => {
  const buffer = new UsageBuffer(small);
  const counts = Array.from({ length: 100 }, (_, index) => count({ application: `app-${index}` }));
  const dropped = add(buffer, counts);
  expect(dropped).toBeGreaterThan(50);
  expect(rowsOf(buffer)).toHaveLength(100 - dropped);
});

test('a sum stays an exact number', () => {
  const buffer = new UsageBuffer();
  const most = count({ yes: Number.MAX_SAFE_INTEGER, variants: [['blue', Number.MAX_SAFE_INTEGER]] });
  add(buffer, [most, most]);
  expect(rowsOf(buffer)).toMatchObject([{ yes: most.yes, variants: { blue: most.yes } }]);
});

test('a token that uses up its share loses its own new names, and neither those of others nor counts of known ones', () => {
  const buffer = new UsageBuffer({
    ...small,
    bytesPerToken: 10_000,
    bytesOfFrontends: 10_000,
    bytesPerFrontend: 6_000,
  });
  const report = (tokenId: number, isFrontend: boolean, names: string[], application = 'shop') => {
    const counts = names.map((featureName) => count({ application, featureName }));
    return buffer.add({ environment: 'production', tokenId, isFrontend }, { counts, instances: [], dropped: 0 }, now);
  };
  const invented = (prefix: string) => Array.from({ length: 100 }, (_, index) => `${prefix}-${index}`);
  expect(report(1, true, invented('page'))).toBeGreaterThan(80);
  expect(report(1, true, ['another'], 'blog')).toBe(1);
  expect(report(1, true, ['page-0'])).toBe(0);
  // The share of all frontend tokens is smaller than what two of them may have.
  expect(report(2, true, ['a', 'b'])).toBe(0);
  expect(report(2, true, invented('other-page'))).toBeGreaterThan(90);
  // A backend of the same application has its whole share.
  expect(report(3, false, ['c', 'page-0'])).toBe(0);
  const ofBackend = 100 - report(3, false, invented('backend'));
  expect(ofBackend).toBeGreaterThan(15);
  const rows = rowsOf(buffer);
  expect(rows.find(({ featureName }) => featureName === 'page-0')?.yes).toBe(3);
  expect(rows.filter(({ featureName }) => featureName.startsWith('backend'))).toHaveLength(ofBackend);
  expect(report(1, true, ['another'], 'blog')).toBe(0);
});

test('a backend with one token and thousands of instances that evaluate thousands of flags loses nothing', () => {
  const buffer = new UsageBuffer();
  const instances = Array.from({ length: 5_000 }, (_, index) =>
    instance({ instanceId: `pod-${index}-7f9c2ba4-e88f-4d8a`, sdkVersion: 'unleash-client-node:6.12.1' }),
  );
  const counts = Array.from({ length: 5_000 }, (_, index) =>
    count({ featureName: `feature-of-a-team-${index}`, variants: [['blue', 1]] }),
  );
  expect(add(buffer, counts, instances)).toBe(0);
});
