import type { ChangedFeature, ClientFeature } from '@yardarm/shared/contracts/flags';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { EnvironmentSnapshot, type SnapshotChange } from './environment-snapshot.ts';

function flag(name: string, project = 'default', enabled = true, segments: number[] = []): ChangedFeature {
  const strategy = { name: 'default', parameters: {}, constraints: [], variants: [] };
  const feature = {
    name,
    type: 'release',
    description: null,
    enabled,
    stale: false,
    impressionData: false,
    project,
    strategies: segments.length === 0 ? [] : [{ ...strategy, segments }],
    variants: [],
    dependencies: [],
  };
  return { feature, tags: [], revision: 1 };
}

function change(part: Partial<SnapshotChange>): SnapshotChange {
  const nothing = { changed: [], removed: [], changedSegments: [], removedSegments: [] };
  return { epoch: 'epoch-one', revisions: { default: 1 }, isWhole: false, ...nothing, ...part };
}

const every = { projects: ['*'] };

function namesIn(snapshot: EnvironmentSnapshot, projects = ['*'], namePrefix?: string): string[] {
  return JSON.parse(snapshot.listing({ projects, namePrefix }).toString()).features.map(
    (one: ClientFeature) => one.name,
  );
}

test('lists its flags by name, filtered by project and prefix', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(
    change({
      isWhole: true,
      revisions: { a: 1, b: 1 },
      changed: [flag('b.two', 'b'), flag('a.one', 'a'), flag('b.one', 'b')],
    }),
  );
  expect(namesIn(snapshot)).toEqual(['a.one', 'b.one', 'b.two']);
  expect(namesIn(snapshot, ['b'])).toEqual(['b.one', 'b.two']);
  expect(namesIn(snapshot, ['*'], 'b.t')).toEqual(['b.two']);
  expect(namesIn(snapshot, ['c'])).toEqual([]);
  expect(snapshot.flag('a.one', ['a'])).not.toBeNull();
  expect(snapshot.flag('a.one', ['b'])).toBeNull();
});

test('a listing contains for each flag the bytes of its single read', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, changed: [flag('one')] }));
  const body = snapshot.listing(every).toString();
  expect(body).toContain(snapshot.flag('one', ['*'])?.toString() as string);
});

test('has the same ETag as another gateway that got the same content by other changes', () => {
  const [whole, stepwise] = [new EnvironmentSnapshot('development'), new EnvironmentSnapshot('development')];
  stepwise.apply(change({ isWhole: true, revisions: { default: 1 }, changed: [flag('one'), flag('gone')] }));
  stepwise.apply(
    change({
      revisions: { default: 2 },
      changed: [flag('one', 'default', false)],
      removed: [{ name: 'gone', project: 'default' }],
    }),
  );
  whole.apply(change({ isWhole: true, revisions: { default: 2 }, changed: [flag('one', 'default', false)] }));
  expect(stepwise.listing(every)).toEqual(whole.listing(every));
});

test('changes the ETag when a project with the lower revision changes', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 100 } }));
  const before = snapshot.etag(every);
  snapshot.apply(change({ revisions: { a: 2, b: 100 }, changed: [flag('one', 'a')] }));
  expect(snapshot.etag(every)).not.toBe(before);
  expect(snapshot.etag({ projects: ['b'] })).not.toBe(snapshot.etag({ projects: ['a'] }));
});

test('drops an answer that a newer one has overtaken', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, revisions: { default: 5 }, changed: [flag('new')] }));
  snapshot.apply(change({ isWhole: true, revisions: { default: 4 }, changed: [flag('old')] }));
  expect(namesIn(snapshot)).toEqual(['new']);
});

test('applies an equal revision of another database epoch', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, revisions: { default: 5 }, changed: [flag('new')] }));
  const before = snapshot.etag(every);
  snapshot.apply(change({ epoch: 'epoch-two', isWhole: true, revisions: { default: 5 }, changed: [flag('restored')] }));
  expect(namesIn(snapshot)).toEqual(['restored']);
  expect(snapshot.etag(every)).not.toBe(before);
});

test('keeps a flag that moved to another project when its old project reports the removal', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 1 }, changed: [flag('one', 'a')] }));
  snapshot.apply(
    change({ revisions: { a: 2, b: 2 }, changed: [flag('one', 'b')], removed: [{ name: 'one', project: 'a' }] }),
  );
  expect(snapshot.flag('one', ['b'])).not.toBeNull();
});

test('any sequence of changes gives the same listing as one whole answer', () => {
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), enabled: fc.boolean(), isRemoval: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const snapshot = new EnvironmentSnapshot('development');
      snapshot.apply(change({ isWhole: true, revisions: { default: 0 } }));
      const model = new Map<string, ChangedFeature>();
      steps.forEach(({ name, enabled, isRemoval }, index) => {
        const revisions = { default: index + 1 };
        if (isRemoval) {
          model.delete(name);
          snapshot.apply(change({ revisions, removed: [{ name, project: 'default' }] }));
        } else {
          model.set(name, flag(name, 'default', enabled));
          snapshot.apply(change({ revisions, changed: [flag(name, 'default', enabled)] }));
        }
      });
      const whole = new EnvironmentSnapshot('development');
      whole.apply(change({ isWhole: true, revisions: { default: steps.length }, changed: [...model.values()] }));
      expect(snapshot.listing(every)).toEqual(whole.listing(every));
    }),
  );
});

describe('segments', () => {
  const constraint = (value: string) => ({
    ...{ contextName: 'country', operator: 'IN' as const, values: [value] },
    ...{ caseInsensitive: false, inverted: false },
  });
  const segment = (id: number, value: string, project = 'default') => ({
    ...{ id, name: `segment ${id}`, constraints: [constraint(value)], project, revision: 1 },
  });
  const strategyOf = (snapshot: EnvironmentSnapshot, name: string) =>
    JSON.parse(snapshot.flag(name, ['*'])!.toString()).strategies[0];

  test('are inlined as constraints of the strategies that have them', () => {
    const snapshot = new EnvironmentSnapshot('development');
    const changedSegments = [segment(1, 'NO'), segment(2, 'SE')];
    snapshot.apply(change({ isWhole: true, changed: [flag('one', 'default', true, [1, 2])], changedSegments }));
    expect(strategyOf(snapshot, 'one').constraints).toEqual([constraint('NO'), constraint('SE')]);
    expect(strategyOf(snapshot, 'one')).not.toHaveProperty('segments');
  });

  test('change every flag that has them, and no other, without a change of the flag', () => {
    const snapshot = new EnvironmentSnapshot('development');
    const changed = [flag('one', 'default', true, [1]), flag('two', 'default', true, [2])];
    snapshot.apply(change({ isWhole: true, changed, changedSegments: [segment(1, 'NO'), segment(2, 'SE')] }));
    const two = snapshot.flag('two', ['*']);
    snapshot.apply(change({ revisions: { default: 2 }, changedSegments: [segment(1, 'DK')] }));
    expect(strategyOf(snapshot, 'one').constraints).toEqual([constraint('DK')]);
    expect(snapshot.flag('two', ['*'])).toBe(two);
  });

  test('stay while another project uses them', () => {
    const snapshot = new EnvironmentSnapshot('development');
    const changedSegments = [segment(1, 'NO', 'a'), segment(1, 'NO', 'b')];
    snapshot.apply(
      change({ isWhole: true, revisions: { a: 1, b: 1 }, changed: [flag('one', 'a', true, [1])], changedSegments }),
    );
    snapshot.apply(change({ revisions: { a: 1, b: 2 }, removedSegments: [{ id: 1, project: 'b' }] }));
    snapshot.apply(change({ revisions: { a: 2, b: 2 }, changed: [flag('two', 'a', true, [1])] }));
    expect(strategyOf(snapshot, 'two').constraints).toEqual([constraint('NO')]);
  });

  test('that flags did not send keep the strategy off', () => {
    const snapshot = new EnvironmentSnapshot('development');
    snapshot.apply(change({ isWhole: true, changed: [flag('one', 'default', true, [9])] }));
    expect(strategyOf(snapshot, 'one').constraints).toMatchObject([{ operator: 'IN', values: [], inverted: false }]);
  });
});

describe('a stored listing', () => {
  const [ofA, ofB, ofBoth] = [{ projects: ['a'] }, { projects: ['b'] }, { projects: ['a', 'b'] }];
  let snapshot: EnvironmentSnapshot;

  beforeEach(() => {
    snapshot = new EnvironmentSnapshot('development');
    snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 1 }, changed: [flag('one', 'a'), flag('two', 'b')] }));
  });

  test('stays until a project in it changes, whatever changes in other projects', () => {
    const [a, b, both, all] = [ofA, ofB, ofBoth, every].map((query) => snapshot.listing(query));
    snapshot.apply(change({ revisions: { a: 2, b: 1 }, changed: [flag('three', 'a')] }));
    expect(snapshot.listing(ofB)).toBe(b);
    expect(snapshot.listing(ofA)).not.toEqual(a);
    expect(snapshot.listing(ofBoth)).not.toEqual(both);
    expect(snapshot.listing(every)).not.toEqual(all);
  });

  test('is replaced when the database has another epoch', () => {
    const b = snapshot.listing(ofB);
    snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 1 }, epoch: 'epoch-two' }));
    expect(snapshot.listing(ofB)).not.toEqual(b);
  });

  test('needs no body for its ETag', () => {
    const large = flag('large', 'a');
    // A body is made with Buffer.concat.
    const encoded = vi.spyOn(Buffer, 'concat');
    snapshot.apply(change({ revisions: { a: 2, b: 1 }, changed: [large] }));
    const etag = snapshot.etag(ofA);
    expect(encoded).not.toHaveBeenCalled();
    expect(JSON.parse(snapshot.listing(ofA).toString()).meta.etag).toBe(etag);
    expect(encoded).toHaveBeenCalledOnce();
    encoded.mockRestore();
  });

  test('stays while it is read, however many other listings are read', () => {
    const [used, unused] = [snapshot.listing(ofA), snapshot.listing(ofB)];
    for (let n = 0; n < 100; n += 1) {
      snapshot.listing({ projects: ['a'], namePrefix: `other-${n}` });
      expect(snapshot.listing(ofA)).toBe(used);
    }
    expect(snapshot.listing(ofB)).not.toBe(unused);
    expect(snapshot.listing(ofB)).toEqual(unused);
  });
});
