import { describe, expect, test } from 'vitest';
import {
  snapshotChange as change,
  countryConstraint as constraint,
  changedFlag as flag,
  scopeOf,
  changedSegment as segment,
} from '../../testing/snapshots.ts';
import { EnvironmentSnapshot } from './environment-snapshot.ts';

const every = scopeOf();

function namesIn(snapshot: EnvironmentSnapshot, scope = every): string[] {
  return snapshot.flagsOf(scope).map(({ name }) => name);
}

test('has its flags by name, selected by project, prefix and tags', () => {
  const snapshot = new EnvironmentSnapshot('development');
  const changed = [
    flag('b.two', { project: 'b', tags: ['team:red', 'simple:x'] }),
    flag('a.one', { project: 'a', tags: ['team:red:er'] }),
    flag('b.one', { project: 'b', tags: ['team:blue'] }),
  ];
  snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 1 }, changed }));
  expect(namesIn(snapshot)).toEqual(['a.one', 'b.one', 'b.two']);
  expect(namesIn(snapshot, scopeOf({ projects: ['b'] }))).toEqual(['b.one', 'b.two']);
  expect(namesIn(snapshot, scopeOf({ namePrefix: 'b.t' }))).toEqual(['b.two']);
  expect(namesIn(snapshot, scopeOf({ projects: ['c'] }))).toEqual([]);
  expect(namesIn(snapshot, scopeOf({ projects: [] }))).toEqual([]);
  expect(namesIn(snapshot, scopeOf({ tags: ['team:red'] }))).toEqual(['b.two']);
  expect(namesIn(snapshot, scopeOf({ tags: ['team:blue', 'simple:x'] }))).toEqual(['b.one', 'b.two']);
  expect(namesIn(snapshot, scopeOf({ tags: ['team'] }))).toEqual([]);
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
  snapshot.apply(change({ epoch: 'epoch-two', isWhole: true, revisions: { default: 5 }, changed: [flag('restored')] }));
  expect(namesIn(snapshot)).toEqual(['restored']);
  expect(snapshot.epoch).toBe('epoch-two');
});

test('keeps a flag that moved to another project when its old project reports the removal', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 1 }, changed: [flag('one', { project: 'a' })] }));
  snapshot.apply(
    change({
      ...{ revisions: { a: 2, b: 2 }, changed: [flag('one', { project: 'b' })] },
      removed: [{ name: 'one', project: 'a' }],
    }),
  );
  expect(namesIn(snapshot, scopeOf({ projects: ['b'] }))).toEqual(['one']);
});

test('keeps no memory of other buffers: a flag, its inlined form and a segment have their own', () => {
  const snapshot = new EnvironmentSnapshot('development');
  const part = { changed: [flag('one', { segments: [1] })], changedSegments: [segment(1, 'NO')] };
  snapshot.apply(change({ isWhole: true, ...part }));
  const one = snapshot.flag('one')!;
  const kept = [one.bytes, snapshot.bytesOf(one, 'inlined'), snapshot.segment(1)!];
  expect(kept.map((bytes) => bytes.buffer.byteLength)).toEqual(kept.map((bytes) => bytes.length));
});

test('its revision in a scope is the sum of the revisions of the projects', () => {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 100 } }));
  snapshot.apply(change({ revisions: { a: 2, b: 100 }, changed: [flag('one', { project: 'a' })] }));
  expect(snapshot.revisionOf(every)).toBe(102);
  expect(snapshot.revisionOf(scopeOf({ projects: ['a', 'gone'] }))).toBe(2);
});

describe('segments', () => {
  const read = (snapshot: EnvironmentSnapshot, name: string, format: 'separate' | 'inlined') =>
    JSON.parse(snapshot.bytesOf(snapshot.flag(name)!, format).toString()).strategies[0];
  const inlined = (snapshot: EnvironmentSnapshot, name: string) => read(snapshot, name, 'inlined');

  test('are ids of the strategies that have them, or constraints of these strategies', () => {
    const snapshot = new EnvironmentSnapshot('development');
    const changedSegments = [segment(1, 'NO'), segment(2, 'SE')];
    snapshot.apply(change({ isWhole: true, changed: [flag('one', { segments: [1, 2] })], changedSegments }));
    expect(inlined(snapshot, 'one').constraints).toEqual([constraint('NO'), constraint('SE')]);
    expect(inlined(snapshot, 'one')).not.toHaveProperty('segments');
    expect(read(snapshot, 'one', 'separate')).toMatchObject({ constraints: [], segments: [1, 2] });
    const { id, name, constraints } = segment(1, 'NO');
    expect(JSON.parse(snapshot.segment(1)!.toString())).toEqual({ id, name, constraints });
  });

  test('change every flag that has them, and encode no other again', () => {
    const snapshot = new EnvironmentSnapshot('development');
    const changed = [flag('one', { segments: [1] }), flag('two', { segments: [2] })];
    snapshot.apply(change({ isWhole: true, changed, changedSegments: [segment(1, 'NO'), segment(2, 'SE')] }));
    const bytes = (name: string, format: 'separate' | 'inlined') => snapshot.bytesOf(snapshot.flag(name)!, format);
    const before = { one: bytes('one', 'separate'), two: bytes('two', 'inlined') };
    expect(inlined(snapshot, 'one').constraints).toEqual([constraint('NO')]);
    snapshot.apply(change({ revisions: { default: 2 }, changedSegments: [segment(1, 'DK')] }));
    expect(inlined(snapshot, 'one').constraints).toEqual([constraint('DK')]);
    expect(bytes('one', 'separate')).toBe(before.one);
    expect(bytes('two', 'inlined')).toBe(before.two);
  });

  test('stay while another project uses them', () => {
    const snapshot = new EnvironmentSnapshot('development');
    const changedSegments = [segment(1, 'NO', 'a'), segment(1, 'NO', 'b')];
    const one = flag('one', { project: 'a', segments: [1] });
    snapshot.apply(change({ isWhole: true, revisions: { a: 1, b: 1 }, changed: [one], changedSegments }));
    snapshot.apply(change({ revisions: { a: 1, b: 2 }, removedSegments: [{ id: 1, project: 'b' }] }));
    snapshot.apply(change({ revisions: { a: 2, b: 2 }, changed: [flag('two', { project: 'a', segments: [1] })] }));
    expect(inlined(snapshot, 'two').constraints).toEqual([constraint('NO')]);
  });

  test('that flags did not send keep the strategy off', () => {
    const snapshot = new EnvironmentSnapshot('development');
    snapshot.apply(change({ isWhole: true, changed: [flag('one', { segments: [9] })] }));
    expect(inlined(snapshot, 'one').constraints).toMatchObject([{ operator: 'IN', values: [], inverted: false }]);
    expect(snapshot.segment(9)).toBeNull();
  });
});

test('evaluates flags by their current definition, compiled before a change or after it', () => {
  const compiledBefore = new EnvironmentSnapshot('development');
  const compiledAfter = new EnvironmentSnapshot('development');
  const inNorway = { properties: { country: 'NO' } };
  const results = (snapshot: EnvironmentSnapshot) =>
    ['one', 'two', 'moved'].map((name) => snapshot.compiled().evaluate(name, inNorway, 0).enabled);
  const changes = [
    change({
      isWhole: true,
      changed: [flag('one', { segments: [1] }), flag('two'), flag('moved', { project: 'a' })],
      changedSegments: [segment(1, 'NO')],
    }),
    change({ changedSegments: [segment(1, 'SE')] }),
    change({ changed: [flag('two', { enabled: false })] }),
    change({ changed: [flag('moved', { project: 'b' })], removed: [{ name: 'moved', project: 'a' }] }),
    change({ changedSegments: [segment(1, 'NO')], removed: [{ name: 'two', project: 'default' }] }),
    change({ removedSegments: [{ id: 1, project: 'default' }] }),
    change({ isWhole: true, changed: [flag('two')] }),
  ];
  const seen = changes.map((next) => {
    compiledBefore.apply(next);
    compiledAfter.apply(next);
    return results(compiledBefore);
  });
  expect(seen).toEqual([
    [true, true, true],
    [false, true, true],
    [false, false, true],
    [false, false, true],
    [true, false, true],
    [false, false, true],
    [false, true, false],
  ]);
  expect(results(compiledAfter)).toEqual(seen.at(-1));
});
