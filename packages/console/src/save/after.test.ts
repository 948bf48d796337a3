import { describe, expect, it } from 'vitest';
import { conflictOf, environmentAfter, type Flag, type FlagEnvironment, isDone, rebased } from './after.ts';
import { type FlagChange, type Strategy, settingsOf } from './change.ts';
import { operationsOf } from './operations.ts';

const place = { environment: 'production', environmentType: 'production' };

const strategy = (id: string, change: Partial<Strategy> = {}): Strategy => ({
  ...{ id, name: 'flexibleRollout', title: id, disabled: false, featureName: 'checkout', sortOrder: 0 },
  ...{ segments: [], constraints: [], variants: [], parameters: { rollout: '50' } },
  ...change,
});
const [one, two] = [strategy('one'), strategy('two', { sortOrder: 1 })];

const environment = (change: Partial<FlagEnvironment> = {}): FlagEnvironment => ({
  ...{ name: 'production', featureName: 'checkout', environment: 'production', type: 'production', enabled: true },
  ...{ sortOrder: 0, variantCount: 0, variants: [], lastSeenAt: null, hasStrategies: true, hasEnabledStrategies: true },
  strategies: [one, two],
  ...change,
});
const flag = (change: Partial<FlagEnvironment> = {}, rest: Partial<Flag> = {}): Flag =>
  ({
    name: 'checkout',
    description: 'old',
    stale: false,
    archived: false,
    tags: [],
    environments: [environment(change)],
    ...rest,
  }) as Flag;

const edit = (change: Partial<Strategy>): FlagChange => ({
  ...{ ...place, kind: 'edit-strategy', before: one },
  after: { ...settingsOf(one), ...change },
});

describe('environmentAfter', () => {
  const titles = ({ strategies }: FlagEnvironment) => strategies.map(({ title }) => title);

  it('adds a strategy as the last one, or at its place', () => {
    const added = settingsOf(strategy('new'));
    expect(titles(environmentAfter(environment(), { ...place, kind: 'add-strategy', strategy: added }))).toEqual([
      'one',
      'two',
      'new',
    ]);
    const first = { ...place, kind: 'add-strategy' as const, strategy: added, sortOrder: -1 };
    expect(titles(environmentAfter(environment(), first))).toEqual(['new', 'one', 'two']);
  });

  it('switches a flag off that has no enabled strategy any more', () => {
    const alone = environment({ strategies: [one] });
    expect(environmentAfter(alone, edit({ disabled: true }))).toMatchObject({ enabled: false });
    expect(environmentAfter(alone, { ...place, kind: 'delete-strategy', before: one })).toMatchObject({
      enabled: false,
    });
    expect(environmentAfter(environment(), edit({ disabled: true }))).toMatchObject({ enabled: true });
  });

  it('adds the default of the project when a flag without an enabled strategy is switched on', () => {
    const on: FlagChange = { ...place, kind: 'switch', isOn: true };
    const bare = environment({ enabled: false, strategies: [] });
    expect(environmentAfter(bare, on).strategies).toMatchObject([{ parameters: { rollout: '100' } }]);
    expect(titles(environmentAfter(bare, on, settingsOf(two)))).toEqual(['two']);
    expect(titles(environmentAfter(environment({ enabled: false }), on))).toEqual(['one', 'two']);
  });

  it('orders, and leaves other environments as they are', () => {
    const order: FlagChange = { ...place, kind: 'order-strategies', before: [one, two], after: [two, one] };
    expect(titles(environmentAfter(environment(), order))).toEqual(['two', 'one']);
    const other = environment({ name: 'development' });
    expect(environmentAfter(other, order)).toBe(other);
    expect(environmentAfter(other, { kind: 'archive' })).toMatchObject({ enabled: false });
  });
});

describe('conflictOf', () => {
  it('finds what somebody else changed or deleted', () => {
    const change = edit({ title: 'mine' });
    expect(conflictOf(change, flag())).toBeNull();
    expect(conflictOf(change, flag({ strategies: [{ ...one, title: 'theirs' }, two] }))).toBe('changed');
    expect(conflictOf(change, flag({ strategies: [one, { ...two, title: 'theirs' }] }))).toBeNull();
    expect(conflictOf(change, flag({ strategies: [two] }))).toBe('gone');
    const settings: FlagChange = { kind: 'settings', before: { description: 'older' }, after: { description: 'new' } };
    expect(conflictOf(settings, flag())).toBe('changed');
  });

  it('finds other variants, other parents, and a link that is gone', () => {
    const variants: FlagChange = { ...place, kind: 'variants', before: [], after: [{ name: 'blue', weight: 1000 }] };
    expect(conflictOf(variants, flag())).toBeNull();
    const theirs = flag({ variants: [{ name: 'green', weight: 1000 }] });
    expect(conflictOf(variants, theirs)).toBe('changed');
    expect(conflictOf(rebased(variants, theirs), theirs)).toBeNull();

    const parents: FlagChange = { kind: 'dependencies', before: [{ feature: 'a' }, { feature: 'b' }], after: [] };
    const [same, other] = [
      [{ feature: 'b', enabled: true, variants: [] }, { feature: 'a' }],
      [{ feature: 'a', enabled: false }],
    ].map((dependencies) => flag({}, { dependencies }));
    expect(conflictOf(parents, same!)).toBeNull();
    expect(conflictOf(parents, other!)).toBe('changed');

    const link = { id: '7', url: 'https://example.com', title: null, feature: 'checkout' };
    const edited: FlagChange = { kind: 'link', before: link, after: { url: 'https://example.com/2', title: null } };
    expect(conflictOf(edited, flag({}, { links: [link] }))).toBeNull();
    expect(conflictOf(edited, flag({}, { links: [{ ...link, title: 'Theirs' }] }))).toBe('changed');
    expect(conflictOf(edited, flag({}, { links: [] }))).toBe('gone');
    expect(rebased(edited, flag({}, { links: [] }))).toEqual({ ...edited, before: null });
  });

  it('is none after the change is rebased, which keeps what the person wants', () => {
    const theirs = flag({ strategies: [{ ...one, title: 'theirs' }, two] });
    const again = rebased(edit({ title: 'mine' }), theirs);
    expect(conflictOf(again, theirs)).toBeNull();
    expect(again).toMatchObject({ before: { title: 'theirs' }, after: { title: 'mine' } });
    expect(rebased(edit({ title: 'mine' }), flag({ strategies: [two] }))).toMatchObject({ kind: 'add-strategy' });
  });

  it('keeps strategies that came meanwhile behind a wanted order', () => {
    const order: FlagChange = { ...place, kind: 'order-strategies', before: [one, two], after: [two, one] };
    const again = rebased(order, flag({ strategies: [one, strategy('three'), two] }));
    expect(again).toMatchObject({ after: [{ id: 'two' }, { id: 'one' }, { id: 'three' }] });
  });
});

describe('isDone', () => {
  it('sees whether the flag is as the change makes it', () => {
    expect(isDone(edit({ title: 'mine' }), flag())).toBe(false);
    expect(isDone(edit({ title: 'mine' }), flag({ strategies: [{ ...one, title: 'mine' }] }))).toBe(true);
    expect(isDone({ ...place, kind: 'add-strategy', strategy: settingsOf(one) }, flag())).toBeNull();
    const parents = [{ feature: 'a', enabled: true, variants: [] }];
    const depends: FlagChange = { kind: 'dependencies', before: [], after: [{ feature: 'a' }] };
    expect(isDone(depends, flag({}, { dependencies: parents }))).toBe(true);
    expect(isDone(depends, flag({}, { dependencies: [] }))).toBe(false);
    const link = { id: '7', url: 'https://example.com', title: null, feature: 'checkout' };
    const removal: FlagChange = { kind: 'link', before: link, after: null };
    expect(isDone(removal, flag({}, { links: [link] }))).toBe(false);
    expect(isDone(removal, flag({}, { links: [] }))).toBe(true);
    expect(isDone({ kind: 'link', before: null, after: link }, flag({}, { links: [link] }))).toBeNull();
    const lifecycle = { stage: 'completed' as const, status: 'kept', enteredStageAt: '2026-01-01T00:00:00.000Z' };
    const completion: FlagChange = { kind: 'complete', status: 'kept', wasLive: true };
    expect(isDone(completion, flag({}, { lifecycle }))).toBe(true);
    expect(isDone({ ...completion, status: 'discarded' }, flag({}, { lifecycle }))).toBe(false);
    expect(isDone({ kind: 'uncomplete' }, flag({}, { lifecycle }))).toBe(false);
    const tag = { type: 'simple', value: 'a' };
    expect(isDone({ kind: 'tags', added: [tag], removed: [] }, flag({}, { tags: [tag] }))).toBe(true);
  });
});

describe('operationsOf', () => {
  it('tests and replaces the properties that differ', () => {
    expect(operationsOf(one, { ...settingsOf(one), parameters: { rollout: '60' } })).toEqual([
      { op: 'test', path: '/parameters', value: { rollout: '50' } },
      { op: 'replace', path: '/parameters', value: { rollout: '60' } },
    ]);
  });
});
