import type { ClientFeature } from '@yardarm/shared/contracts/flags';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EnvironmentSnapshot, type SnapshotChange } from './environment-snapshot.ts';

function flag(name: string, project = 'default', enabled = true): ClientFeature {
  return {
    name,
    type: 'release',
    description: null,
    enabled,
    stale: false,
    impressionData: false,
    project,
    strategies: [],
    variants: [],
    dependencies: [],
  };
}

function change(part: Partial<SnapshotChange>): SnapshotChange {
  return { epoch: 'epoch-one', revisions: { default: 1 }, isWhole: false, changed: [], removed: [], ...part };
}

const every = { projects: ['*'] };

function namesIn(snapshot: EnvironmentSnapshot, projects = ['*'], namePrefix?: string): string[] {
  return JSON.parse(snapshot.listing({ projects, namePrefix }).body.toString()).features.map(
    (one: ClientFeature) => one.name,
  );
}

test('lists its flags in order of their names, by project and prefix', () => {
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

test('a listing holds for each flag the bytes that the single read answers', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, changed: [flag('one')] }));
  const body = snapshot.listing(every).body.toString();
  expect(body).toContain(snapshot.flag('one', ['*'])?.toString() as string);
});

test('has the same ETag as another gateway that came to the same content by another way', () => {
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
  const before = snapshot.listing(every).etag;
  snapshot.apply(change({ revisions: { a: 2, b: 100 }, changed: [flag('one', 'a')] }));
  expect(snapshot.listing(every).etag).not.toBe(before);
  expect(snapshot.listing({ projects: ['b'] }).etag).not.toBe(snapshot.listing({ projects: ['a'] }).etag);
});

test('does not go back to an answer that another has overtaken', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, revisions: { default: 5 }, changed: [flag('new')] }));
  snapshot.apply(change({ isWhole: true, revisions: { default: 4 }, changed: [flag('old')] }));
  expect(namesIn(snapshot)).toEqual(['new']);
});

test('takes a lower revision when the database has another epoch', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, revisions: { default: 5 }, changed: [flag('new')] }));
  const before = snapshot.listing(every).etag;
  snapshot.apply(change({ epoch: 'epoch-two', isWhole: true, revisions: { default: 5 }, changed: [flag('restored')] }));
  expect(namesIn(snapshot)).toEqual(['restored']);
  expect(snapshot.listing(every).etag).not.toBe(before);
});

test('keeps a flag that moved to another project when its old project tells of the removal', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 1 }, changed: [flag('one', 'a')] }));
  snapshot.apply(
    change({ revisions: { a: 2, b: 2 }, changed: [flag('one', 'b')], removed: [{ name: 'one', project: 'a' }] }),
  );
  expect(snapshot.flag('one', ['b'])).not.toBeNull();
});

test('comes by any sequence of changes to what one whole answer gives', () => {
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), enabled: fc.boolean(), isRemoval: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const snapshot = new EnvironmentSnapshot('development');
      snapshot.apply(change({ isWhole: true, revisions: { default: 0 } }));
      const model = new Map<string, ClientFeature>();
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
