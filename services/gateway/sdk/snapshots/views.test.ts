import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  snapshotChange as change,
  changedFlag as flag,
  scopeOf,
  changedSegment as segment,
} from '../../testing/snapshots.ts';
import { EnvironmentSnapshot } from './environment-snapshot.ts';
import { ScopeViews } from './views.ts';

const roomy = 1_000_000;
const every = scopeOf();
const textOf = (snapshot: EnvironmentSnapshot, scope = every) =>
  new ScopeViews(roomy).of(snapshot, scope).listing().plain.toString();

function snapshotOf(part: Parameters<typeof change>[0]): EnvironmentSnapshot {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, ...part }));
  return snapshot;
}

describe('a listing', () => {
  test('has the flags of its scope, their segments, and what selected them', () => {
    const snapshot = snapshotOf({
      changed: [flag('a.one', { segments: [2, 1], tags: ['team:red'] }), flag('b', { segments: [3] })],
      changedSegments: [segment(1, 'NO'), segment(2, 'SE'), segment(3, 'DK')],
    });
    const body = JSON.parse(
      textOf(snapshot, scopeOf({ projects: ['b', 'default'], namePrefix: 'a', tags: ['team:red'] })),
    );
    expect(body).toMatchObject({ version: 2, features: [{ name: 'a.one', strategies: [{ segments: [2, 1] }] }] });
    expect(body.segments.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
    expect(body.query).toEqual({
      ...{ project: ['b', 'default'], environment: 'development', namePrefix: 'a', tag: [['team', 'red']] },
      inlineSegmentConstraints: false,
    });
  });

  test('without support for segments has none, and their constraints in its strategies', () => {
    const snapshot = snapshotOf({ changed: [flag('one', { segments: [1] })], changedSegments: [segment(1, 'NO')] });
    const body = JSON.parse(textOf(snapshot, scopeOf({ segmentFormat: 'inlined' })));
    expect(body).not.toHaveProperty('segments');
    expect(body.query.inlineSegmentConstraints).toBe(true);
    expect(body.features[0].strategies[0].constraints).toMatchObject([{ values: ['NO'] }]);
  });

  test('is equal, ETag included, on a gateway that got the same content by other changes', () => {
    const stepwise = snapshotOf({ revisions: { default: 1 }, changed: [flag('one'), flag('gone')] });
    const off = flag('one', { enabled: false });
    const removed = [{ name: 'gone', project: 'default' }];
    stepwise.apply(change({ revisions: { default: 2 }, changed: [off], removed }));
    const whole = snapshotOf({ revisions: { default: 2 }, changed: [off] });
    expect(textOf(stepwise)).toBe(textOf(whole));
    const views = new ScopeViews(roomy);
    expect(views.of(stepwise, every).etags).toEqual(views.of(whole, every).etags);
  });

  test('any sequence of changes gives the same listing as one whole answer', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      enabled: fc.boolean(),
      isRemoval: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const snapshot = snapshotOf({ revisions: { default: 0 } });
        const model = new Map<string, ReturnType<typeof flag>>();
        steps.forEach(({ name, enabled, isRemoval }, index) => {
          const revisions = { default: index + 1 };
          if (isRemoval) {
            model.delete(name);
            snapshot.apply(change({ revisions, removed: [{ name, project: 'default' }] }));
          } else {
            model.set(name, flag(name, { enabled }));
            snapshot.apply(change({ revisions, changed: [flag(name, { enabled })] }));
          }
        });
        const whole = snapshotOf({ revisions: { default: steps.length }, changed: [...model.values()] });
        expect(textOf(snapshot)).toBe(textOf(whole));
      }),
    );
  });

  test('is compressed once for all who ask, and not when it is small', async () => {
    const changed = Array.from({ length: 50 }, (_, index) => flag(`flag-${index}`));
    const body = new ScopeViews(roomy).of(snapshotOf({ changed }), every).listing();
    const [gzip, again, br] = await Promise.all([body.bytes('gzip'), body.bytes('gzip'), body.bytes('br')]);
    expect(again).toBe(gzip);
    expect(body.bytes('gzip')).toBe(gzip);
    expect(gunzipSync(gzip)).toEqual(body.plain);
    expect(brotliDecompressSync(br)).toEqual(body.plain);
    expect(body.codingFor('br')).toBe('br');
    expect(new ScopeViews(roomy).of(snapshotOf({}), every).listing().codingFor('br')).toBe('identity');
  });
});

describe('a view', () => {
  const [ofA, ofB, ofBoth] = [['a'], ['b'], ['a', 'b']].map((projects) => scopeOf({ projects })) as [
    typeof every,
    typeof every,
    typeof every,
  ];
  let snapshot: EnvironmentSnapshot;
  let views: ScopeViews;
  const listing = (scope: typeof every) => views.of(snapshot, scope).listing();

  beforeEach(() => {
    views = new ScopeViews(roomy);
    const changed = [flag('one', { project: 'a' }), flag('two', { project: 'b' })];
    snapshot = snapshotOf({ revisions: { a: 1, b: 1 }, changed });
  });

  test('stays until a project in it changes, whatever changes in other projects', () => {
    const [a, b, both, all] = [ofA, ofB, ofBoth, every].map((scope) => [scope, listing(scope)] as const);
    snapshot.apply(change({ revisions: { a: 2, b: 1 }, changed: [flag('three', { project: 'a' })] }));
    expect(listing(ofB)).toBe(b![1]);
    for (const [scope, before] of [a!, both!, all!]) expect(listing(scope).plain).not.toEqual(before.plain);
  });

  test('is replaced when the database has another epoch, and when the environment was made again', () => {
    const { etags } = views.of(snapshot, ofB);
    snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 1 }, epoch: 'epoch-two' }));
    expect(views.of(snapshot, ofB).etags).not.toEqual(etags);
    const again = snapshotOf({
      epoch: 'epoch-two',
      revisions: { a: 1, b: 1 },
      changed: [flag('new', { project: 'b' })],
    });
    expect(views.of(again, ofB).listing().plain.toString()).toContain('"new"');
  });

  test('needs no body for its ETag', () => {
    // A body is made with Buffer.concat.
    const encoded = vi.spyOn(Buffer, 'concat');
    const view = views.of(snapshot, ofA);
    expect(encoded).not.toHaveBeenCalled();
    expect(JSON.parse(view.listing().plain.toString()).meta.etag).toBe(view.etags.identity);
    encoded.mockRestore();
  });

  test('stays while it is read, within the bytes, however many others are read', () => {
    views = new ScopeViews(20_000);
    const [used, unused] = [listing(ofA), listing(ofB)];
    for (let n = 0; n < 100; n += 1) {
      listing(scopeOf({ namePrefix: `other-${n}` }));
      expect(listing(ofA)).toBe(used);
      expect(views.bytes).toBeLessThanOrEqual(20_000);
    }
    expect(listing(ofB)).not.toBe(unused);
    expect(listing(ofB).plain).toEqual(unused.plain);
  });

  test('counts the names of its filter, so that ever new long filters stay within the bytes', () => {
    const longFilter = (n: number) =>
      scopeOf({
        projects: Array.from({ length: 100 }, (_, index) => `${n}-${index}`.padEnd(100, 'x')),
        tags: Array.from({ length: 100 }, (_, index) => `simple:${n}-${index}`),
        isFiltered: true,
      });
    const first = views.of(snapshot, longFilter(0));
    expect(views.of(snapshot, longFilter(0))).toBe(first);
    for (let n = 1; n <= 100; n += 1) views.of(snapshot, longFilter(n));
    expect(views.bytes).toBeLessThanOrEqual(roomy);
    expect(views.of(snapshot, longFilter(0))).not.toBe(first);
  });

  test('of a filter has a stored body from its second answer on, and takes no bytes from others before', () => {
    const filtered = scopeOf({ projects: ['a'], namePrefix: 'o', isFiltered: true });
    const first = listing(filtered);
    const { bytes } = views;
    const second = listing(filtered);
    expect(second).not.toBe(first);
    expect(second.plain).toEqual(first.plain);
    expect(views.bytes).toBe(bytes + second.plain.length);
    expect(listing(filtered)).toBe(second);
    snapshot.apply(change({ revisions: { a: 2, b: 1 }, changed: [flag('other', { project: 'a' })] }));
    expect(listing(filtered)).toBe(listing(filtered));
  });

  test('keeps no memory of other buffers: its bodies and their compressed forms have their own', async () => {
    const changed = Array.from({ length: 20 }, (_, index) => flag(`flag-${index}`));
    snapshot = snapshotOf({ revisions: { a: 1, b: 1 }, changed });
    const body = listing(every);
    const kept = [listing(ofA).plain, body.plain, await body.bytes('gzip'), await body.bytes('br')];
    expect(kept.map((bytes) => bytes.buffer.byteLength)).toEqual(kept.map((bytes) => bytes.length));
  });

  test('that alone exceeds the bytes stays while nothing else is read', async () => {
    views = new ScopeViews(10);
    const body = listing(ofA);
    await body.bytes('gzip');
    expect(listing(ofA)).toBe(body);
    listing(ofB);
    expect(listing(ofA)).not.toBe(body);
  });
});
