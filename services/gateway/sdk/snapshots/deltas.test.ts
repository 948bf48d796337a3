import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  snapshotChange as change,
  type FlagParts,
  changedFlag as flag,
  scopeOf,
  changedSegment as segment,
} from '../../testing/snapshots.ts';
import { EnvironmentSnapshot } from './environment-snapshot.ts';
import type { SnapshotChange } from './joined-change.ts';
import type { Scope } from './scope.ts';
import { type ScopeView, ScopeViews } from './views.ts';

type Event = { type: string; eventId: number; [property: string]: unknown };

/** What an SDK has after a hydration and deltas. */
class Reader {
  readonly flags = new Map<string, unknown>();
  readonly segments = new Map<number, unknown>();
  revision = 0;

  apply(body: { plain: Buffer }): string[] {
    const { events } = JSON.parse(body.plain.toString()) as { events: Event[] };
    for (const event of events) this.#apply(event);
    return events.map(({ type }) => type);
  }

  #apply(event: Event): void {
    this.revision = event.eventId;
    if (event.type === 'hydration') {
      this.flags.clear();
      this.segments.clear();
      for (const feature of event.features as { name: string }[]) this.flags.set(feature.name, feature);
      for (const one of event.segments as { id: number }[]) this.segments.set(one.id, one);
    } else if (event.type === 'feature-updated') {
      const feature = event.feature as { name: string };
      this.flags.set(feature.name, feature);
    } else if (event.type === 'feature-removed') this.flags.delete(event.featureName as string);
    else if (event.type === 'segment-updated') {
      const one = event.segment as { id: number };
      this.segments.set(one.id, one);
    } else if (event.type === 'segment-removed') this.segments.delete(event.segmentId as number);
    else throw new Error(`an unknown event: ${event.type}`);
  }

  contents() {
    return {
      flags: Object.fromEntries([...this.flags].sort()),
      segments: Object.fromEntries([...this.segments].sort()),
    };
  }
}

const every = scopeOf();
const viewOf = (snapshot: EnvironmentSnapshot, scope: Scope = every) => new ScopeViews(1_000_000).of(snapshot, scope);

function snapshotOf(part: Partial<SnapshotChange>): EnvironmentSnapshot {
  const snapshot = new EnvironmentSnapshot('development');
  snapshot.apply(change({ isWhole: true, ...part }));
  return snapshot;
}

const eventsOf = (snapshot: EnvironmentSnapshot, revision: number, scope = every) =>
  JSON.parse(viewOf(snapshot, scope).deltaSince(revision).plain.toString()).events as Event[];

describe('a delta', () => {
  test('has the changed flag with the revision as its event id, and not the others', () => {
    const snapshot = snapshotOf({ changed: [flag('one'), flag('two')] });
    snapshot.apply(change({ revisions: { default: 2 }, changed: [flag('two', { enabled: false })] }));
    expect(eventsOf(snapshot, 1)).toEqual([
      { type: 'feature-updated', eventId: 2, feature: expect.objectContaining({ name: 'two', enabled: false }) },
    ]);
    expect(eventsOf(snapshot, 2)).toEqual([]);
  });

  test('removes a flag that was archived, moved out of the projects, or lost its tag', () => {
    const scope = scopeOf({ projects: ['a'], tags: ['team:red'] });
    const parts = { project: 'a', tags: ['team:red'] };
    const changed = ['archived', 'moved', 'untagged', 'stays'].map((name) => flag(name, parts));
    const snapshot = snapshotOf({ revisions: { a: 1, b: 1 }, changed });
    snapshot.apply(
      change({
        revisions: { a: 2, b: 2 },
        changed: [flag('moved', { ...parts, project: 'b' }), flag('untagged', { project: 'a' })],
        removed: ['archived', 'moved'].map((name) => ({ name, project: 'a' })),
      }),
    );
    expect(eventsOf(snapshot, 1, scope)).toEqual(
      ['archived', 'moved', 'untagged'].map((featureName) => ({
        ...{ type: 'feature-removed', eventId: 2, featureName, project: 'a' },
      })),
    );
  });

  test('tells nothing of other projects and prefixes', () => {
    const snapshot = snapshotOf({ revisions: { a: 1, b: 1 }, changed: [flag('one', { project: 'a' })] });
    const changed = [flag('secret', { project: 'b', segments: [1] })];
    snapshot.apply(change({ revisions: { a: 1, b: 2 }, changed, changedSegments: [segment(1, 'NO', 'b')] }));
    snapshot.apply(change({ revisions: { a: 1, b: 3 }, removed: [{ name: 'secret', project: 'b' }] }));
    snapshot.apply(change({ revisions: { a: 2, b: 3 }, changed: [flag('two', { project: 'a' })] }));
    const types = (scope: Scope) => eventsOf(snapshot, 1, scope).map(({ type }) => type);
    expect(types(scopeOf({ projects: ['a'] }))).toEqual(['feature-updated']);
    expect(types(scopeOf({ projects: ['a'], namePrefix: 'o' }))).toEqual([]);
  });

  test('has the segments of its flags, and a change or the end of the use of a segment', () => {
    const changedSegments = [segment(1, 'NO'), segment(2, 'SE')];
    const changed = [flag('x.one', { segments: [1] }), flag('y.two', { segments: [2] })];
    const snapshot = snapshotOf({ changed, changedSegments });
    const scope = scopeOf({ namePrefix: 'x' });
    // The reader has never had segment 2.
    snapshot.apply(change({ revisions: { default: 2 }, changed: [flag('x.one', { segments: [2] })] }));
    expect(eventsOf(snapshot, 1, scope)).toMatchObject([
      { type: 'segment-updated', segment: { id: 2 } },
      { type: 'feature-updated', feature: { strategies: [{ segments: [2] }] } },
      { type: 'segment-removed', segmentId: 1 },
    ]);
    snapshot.apply(change({ revisions: { default: 3 }, changedSegments: [segment(2, 'DK')] }));
    expect(eventsOf(snapshot, 2, scope)).toMatchObject([{ type: 'segment-updated', segment: { id: 2 } }]);
  });

  test('is a hydration for a position before the history', () => {
    const snapshot = snapshotOf({ revisions: { default: 5 }, changed: [flag('one')] });
    snapshot.apply(change({ revisions: { default: 8 }, changed: [flag('two')] }));
    expect(eventsOf(snapshot, 4).map(({ type }) => type)).toEqual(['hydration']);
    expect(eventsOf(snapshot, 5).map(({ type }) => type)).toEqual(['feature-updated']);
    for (let revision = 9; revision < 1_100; revision += 1) {
      snapshot.apply(change({ revisions: { default: revision }, changed: [flag('two')] }));
    }
    expect(eventsOf(snapshot, 8).map(({ type }) => type)).toEqual(['hydration']);
    expect(eventsOf(snapshot, 1_000).map(({ type }) => type)).toEqual(['feature-updated']);
  });

  test('is a hydration after a whole answer of flags', () => {
    const snapshot = snapshotOf({ revisions: { default: 5 } });
    snapshot.apply(change({ isWhole: true, revisions: { default: 6 } }));
    expect(eventsOf(snapshot, 5).map(({ type }) => type)).toEqual(['hydration']);
  });

  test('removes a flag that another gateway had between two states of this one', () => {
    const snapshot = snapshotOf({ revisions: { default: 5 } });
    // Flags reports the end of a flag that was made at revision 6 and archived at revision 7.
    snapshot.apply(change({ revisions: { default: 7 }, removed: [{ name: 'brief', project: 'default' }] }));
    expect(eventsOf(snapshot, 6)).toMatchObject([{ type: 'feature-removed', featureName: 'brief' }]);
  });

  test('from one of many earlier states is its own while it is small, and the shared hydration when it is large', () => {
    for (const [bytes, types] of [
      [1_000, ['feature-updated']],
      [70_000, ['hydration']],
    ] as const) {
      const snapshot = new EnvironmentSnapshot('development');
      snapshot.apply(change({ isWhole: true, revisions: { default: 1 }, changed: [flag('one')] }));
      for (let revision = 2; revision <= 30; revision += 1) {
        const changed = flag('x'.repeat(bytes), { enabled: revision % 2 === 0 });
        snapshot.apply(change({ revisions: { default: revision }, changed: [changed] }));
      }
      const view = new ScopeViews(100_000_000).of(snapshot, scopeOf());
      const typesOf = (revision: number) => new Reader().apply(view.deltaSince(revision));
      // Twenty deltas are stored.
      for (let revision = 1; revision <= 20; revision += 1) expect(typesOf(revision)).toEqual(['feature-updated']);
      expect(typesOf(25)).toEqual(types);
      expect(view.deltaSince(25) === view.hydration()).toBe(types[0] === 'hydration');
    }
  });
});

describe('random histories', () => {
  const names = ['x.a', 'x.b', 'y.c'];
  const segmentIds = [1, 2];
  type Parts = Required<FlagParts>;
  /** The rows that flags has, each with the revision of its project at its last change. */
  interface Model {
    revisions: Record<string, number>;
    flags: Map<string, { parts: Parts; revision: number }>;
    /** By `name project`. */
    removed: Map<string, number>;
    countries: Map<number, string>;
    /** By `id project`. */
    segments: Map<string, { isUsed: boolean; revision: number }>;
  }

  const step = fc.record({
    name: fc.constantFrom(...names),
    parts: fc.option(
      fc.record({
        project: fc.constantFrom('a', 'b'),
        enabled: fc.boolean(),
        segments: fc.subarray(segmentIds),
        tags: fc.subarray(['team:red', 'team:blue']),
      }),
    ),
    country: fc.option(fc.tuple(fc.constantFrom(...segmentIds), fc.constantFrom('NO', 'SE'))),
    /** Whether the second gateway skips this state. */
    isSkipped: fc.boolean(),
    /** The gateway that the reader asks. The second one only if it has this state. */
    asked: fc.constantFrom('first', 'second', 'none'),
  });

  const isUsed = (model: Model, id: number, project: string) =>
    [...model.flags.values()].some(({ parts }) => parts.project === project && parts.segments.includes(id));

  /** The answer of flags to a reader with these revisions. */
  function answer(known: Record<string, number> | null, model: Model): SnapshotChange {
    const isNew = (project: string, revision: number) => revision > (known?.[project] ?? 0);
    const split = (key: string) => key.split(' ') as [string, string];
    const changed = [...model.flags].filter(([, { parts, revision }]) => isNew(parts.project, revision));
    const removed = [...model.removed].filter(([key, revision]) => known && isNew(split(key)[1], revision));
    const segments = [...model.segments].filter(([key, { revision }]) => isNew(split(key)[1], revision));
    return change({
      revisions: { ...model.revisions },
      isWhole: known === null,
      changed: changed.map(([name, { parts }]) => flag(name, parts)),
      removed: removed.map(([key]) => ({ name: split(key)[0], project: split(key)[1] })),
      changedSegments: segments.flatMap(([key, row]) => {
        const [id, project] = [Number(split(key)[0]), split(key)[1]];
        return row.isUsed ? [segment(id, model.countries.get(id)!, project)] : [];
      }),
      removedSegments: segments.flatMap(([key, row]) =>
        row.isUsed || !known ? [] : [{ id: Number(split(key)[0]), project: split(key)[1] }],
      ),
    });
  }

  interface Change {
    name: string;
    parts: Parts | null;
    country: [id: number, country: string] | null;
  }

  /** One transaction: it replaces or removes a flag and may change a segment. */
  function after(before: Model, { name, parts, country }: Change): Model {
    const model = structuredClone(before);
    const was = model.flags.get(name)?.parts;
    if (country) model.countries.set(...country);
    if (parts) model.flags.set(name, { parts, revision: 0 });
    else model.flags.delete(name);
    for (const project of ['a', 'b']) {
      const ends = segmentIds.filter((id) => isUsed(model, id, project) !== isUsed(before, id, project));
      const changedOnes = country && isUsed(model, country[0], project) ? [country[0], ...ends] : ends;
      if (was?.project !== project && parts?.project !== project && changedOnes.length === 0) continue;
      const revision = model.revisions[project]! + 1;
      model.revisions[project] = revision;
      if (parts?.project === project) {
        model.flags.set(name, { parts, revision });
        model.removed.delete(`${name} ${project}`);
      } else if (was?.project === project) model.removed.set(`${name} ${project}`, revision);
      for (const id of changedOnes) {
        model.segments.set(`${id} ${project}`, { isUsed: isUsed(model, id, project), revision });
      }
    }
    return model;
  }

  const scopes = [
    ...[every, scopeOf({ projects: ['a'] }), scopeOf({ namePrefix: 'x' }), scopeOf({ tags: ['team:red'] })],
    scopeOf({ projects: ['b'], namePrefix: 'x', tags: ['team:blue', 'team:red'] }),
  ];

  /** A reader between two states of a gateway may keep a segment that no flag of it has. */
  function expectContents(reader: Reader, view: ScopeView): void {
    const fresh = new Reader();
    fresh.apply(view.hydration());
    expect(reader.contents().flags).toEqual(fresh.contents().flags);
    expect(reader.contents().segments).toMatchObject(fresh.contents().segments);
  }

  test('a reader that alternates between two gateways has what a hydration has, in every scope', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
        let model: Model = {
          ...{ revisions: { a: 1, b: 1 }, flags: new Map(), removed: new Map(), segments: new Map() },
          countries: new Map(segmentIds.map((id) => [id, 'NO'])),
        };
        const [first, second] = [new EnvironmentSnapshot('development'), new EnvironmentSnapshot('development')];
        const synchronise = (gateway: EnvironmentSnapshot) =>
          gateway.apply(answer(gateway.known?.revisions ?? null, model));
        for (const gateway of [first, second]) synchronise(gateway);
        const readers = scopes.map((scope) => ({ scope, reader: new Reader() }));
        for (const { scope, reader } of readers) reader.apply(viewOf(first, scope).hydration());
        for (const one of steps) {
          model = after(model, one);
          synchronise(first);
          if (!one.isSkipped) synchronise(second);
          if (one.asked === 'none' || (one.asked === 'second' && one.isSkipped)) continue;
          for (const { scope, reader } of readers) {
            const view = viewOf(one.asked === 'first' ? first : second, scope);
            reader.apply(view.deltaSince(reader.revision));
            reader.revision = view.revision;
            expectContents(reader, view);
          }
        }
        synchronise(second);
        for (const { scope, reader } of readers) {
          const [view, other] = [viewOf(second, scope), viewOf(first, scope)];
          reader.apply(view.deltaSince(reader.revision));
          expectContents(reader, view);
          expect(other.position).toBe(view.position);
          expect(other.listing().plain).toEqual(view.listing().plain);
        }
      }),
      { numRuns: 500 },
    );
  });
});
