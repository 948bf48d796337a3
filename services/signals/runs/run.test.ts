import { cpuTimeMs } from '@yardarm/evaluation';
import type { ActionSet } from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { describe, expect, it } from 'vitest';
import { type EnabledSet, outcomeOf, retryDelayMs, runsOf, storableText, type TakenSignal } from './run.ts';

const enabledAt = new Date('2026-06-01T12:00:00.000Z');

function someSet(changes: Partial<ActionSet> = {}, times: Partial<EnabledSet> = {}): EnabledSet {
  const params = { project: 'default', environment: 'production', featureName: 'checkout' };
  const written = { createdAt: '2026-06-01T11:00:00.000Z', createdByUserId: 1 };
  return {
    actionSet: {
      ...{ id: 1, name: 'set', description: null, project: 'default', actorId: 12, enabled: true, cooldownSeconds: 0 },
      match: { source: 'signal-endpoint', sourceId: 2, payload: {} },
      actions: [{ id: 1, action: 'TOGGLE_FEATURE_OFF', sortOrder: 1, executionParams: params, ...written }],
      ...written,
      ...changes,
    },
    ...{ enabledAt, lastMatchedAt: null, disables: 0, projectCreatedAt: null },
    ...times,
  };
}

/** Measures the turns of the event loop from now on. The result ends it: the CPU time of each turn. */
function measureTurns(): () => number[] {
  const turns: number[] = [];
  let isOver = false;
  let beganAt = cpuTimeMs();
  const look = () => {
    turns.push(cpuTimeMs() - beganAt);
    beganAt = cpuTimeMs();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isOver = true;
    return turns;
  };
}

/** A signal that is created so many milliseconds after the sets were enabled. */
const signal = (id: number, afterMs = id, payload: unknown = {}): TakenSignal => ({
  id,
  sequence: id,
  payload: JSON.stringify(payload),
  createdAt: new Date(enabledAt.getTime() + afterMs).toISOString(),
  traceparent: null,
});

const oneOf = (value: string) => ({
  operator: 'IN' as const,
  values: [value],
  caseInsensitive: false,
  inverted: false,
});

const pairs = async (sets: EnabledSet[], signals: TakenSignal[]) =>
  (await runsOf(sets, signals)).runs.map(({ signalId, set }) => [signalId, set.actionSet.id]);

describe('the runs of signals', () => {
  it('are in the order of the signals, then of the sets', async () => {
    expect(await pairs([someSet({ id: 1 }), someSet({ id: 2 })], [signal(8), signal(7)])).toEqual([
      [8, 1],
      [8, 2],
      [7, 1],
      [7, 2],
    ]);
  });

  it('are those of the sets whose filters match', async () => {
    const match: ActionSet['match'] = {
      source: 'signal-endpoint',
      sourceId: 2,
      payload: { severity: oneOf('critical') },
    };
    const sets = [someSet({ id: 1 }), someSet({ id: 2, match })];
    const signals = [signal(1, 1, { severity: 'info' }), signal(2, 2, { severity: 'critical' }), signal(3, 3, 'text')];
    expect(await pairs(sets, signals)).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
      [3, 1],
    ]);
  });

  it.each([
    ['before the set was enabled', -1, []],
    ['in the millisecond in which it was enabled', 0, [[5, 1]]],
    ['after it was enabled', 1, [[5, 1]]],
  ])('of a signal created %s', async (_, afterMs, expected) => {
    expect(await pairs([someSet()], [signal(5, afterMs)])).toEqual(expected);
  });

  it.each([
    ['in one batch', null, [0, 9_999, 10_000, 10_001, 25_000], [0, 10_000, 25_000]],
    ['since an earlier batch', 4_000, [5_000, 13_999, 14_000], [14_000]],
    ['also of a signal that was created earlier and taken later', 4_000, [3_999], []],
  ])('have a cooldown, by createdAt, %s', async (_, lastMs, times, expected) => {
    const lastMatchedAt = lastMs === null ? null : new Date(enabledAt.getTime() + lastMs);
    const signals = times.map((time) => signal(time + 1, time));
    const { runs, lastMatched } = await runsOf([someSet({ cooldownSeconds: 10 }, { lastMatchedAt })], signals);
    expect(runs.map(({ signalId }) => signalId - 1)).toEqual(expected);
    const last = expected.at(-1);
    expect(lastMatched.get(1)?.getTime()).toBe(last === undefined ? undefined : enabledAt.getTime() + last);
  });

  it('count the cooldown of each set alone, and only from signals that matched', async () => {
    const match: ActionSet['match'] = {
      source: 'signal-endpoint',
      sourceId: 2,
      payload: { kind: oneOf('b') },
    };
    const sets = [someSet({ id: 1, cooldownSeconds: 10 }), someSet({ id: 2, cooldownSeconds: 10, match })];
    const signals = [signal(1, 1, { kind: 'a' }), signal(2, 2, { kind: 'b' })];
    expect(await pairs(sets, signals)).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('have the steps in the order of the actions, with the parameters of the payload, or why there is none', async () => {
    const [action] = someSet().actionSet.actions;
    const params = { ...action!.executionParams, featureName: '{{payload.flag}}' };
    const actions = [
      { ...action!, sortOrder: 20, executionParams: params },
      { ...action!, sortOrder: 3 },
    ];
    const { runs } = await runsOf([someSet({ actions })], [signal(1, 1, { flag: 'beta' }), signal(2)]);
    const [found, missing] = runs;
    const parameters = { project: 'default', environment: 'production' };
    expect(found!.steps).toEqual([
      { step: { action: 'TOGGLE_FEATURE_OFF', parameters: { ...parameters, featureName: 'checkout' } } },
      { step: { action: 'TOGGLE_FEATURE_OFF', parameters: { ...parameters, featureName: 'beta' } } },
    ]);
    expect(missing!.steps[1]).toEqual({ problem: expect.stringContaining('payload.flag') });
  });

  it('look up the order of the keys of a large payload once', async () => {
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key-${n}`, n]));
    const payload = { ...keys, labels: { flag: 'one' }, 'labels.flag': 'two' };
    const featureName = '{{payload.labels.flag}}'.repeat(30);
    const action = someSet().actionSet.actions[0]!;
    const actions = Array.from({ length: 20 }, (_, n) => {
      return { ...action, id: n + 1, sortOrder: n + 1, executionParams: { ...action.executionParams, featureName } };
    });
    const { runs } = await runsOf([someSet({ actions })], [signal(1, 1, payload)]);
    // Each of 600 look-ups of the order would take some milliseconds, which the budget does not have.
    expect(runs[0]!.steps.at(-1)).toMatchObject({ step: { parameters: { featureName: 'two'.repeat(30) } } });
  });

  it('are of fewer signals when their sets are large, and of one at least', async () => {
    const sets = [1, 2, 3].map((id) => someSet({ id, description: 'x'.repeat(2_000_000) }));
    const signals = [1, 2, 3, 4].map((id) => signal(id));
    const { runs, count } = await runsOf(sets, signals);
    expect([runs.length, count]).toEqual([6, 2]);
    expect(await runsOf([someSet({ description: 'x'.repeat(20_000_000) })], signals)).toMatchObject({ count: 1 });
  });

  it('have no step whose payload path leads through all of a large payload', async () => {
    const nested = (depth: number): unknown =>
      depth <= 0 ? {} : { a: nested(depth - 1), 'a.a': nested(depth - 2), 'a.a.a': nested(depth - 3) };
    const featureName = `{{payload.${Array.from({ length: 30 }, () => 'a').join('.')}.b}}`;
    const action = someSet().actionSet.actions[0]!;
    const actions = [{ ...action, executionParams: { ...action.executionParams, featureName } }];
    const { runs } = await runsOf([someSet({ actions })], [signal(1, 1, nested(18))]);
    expect(runs[0]!.steps).toEqual([
      {
        problem: 'The .featureName property holds a payload path that takes too long to follow in this payload.',
      },
    ]);
  });

  const text = Array.from({ length: 1_000 }, () => (Math.random() < 0.5 ? 'a' : 'b')).join('');
  const payload = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, text]));
  const filters = Object.keys(payload).map((name, index) => [
    name,
    { operator: 'REGEX', value: `a[ab]{${960 + index}}[cd]`, caseInsensitive: false, inverted: true },
  ]);
  const costly = {
    source: 'signal-endpoint',
    sourceId: 2,
    payload: Object.fromEntries(filters),
  } as ActionSet['match'];

  it('is one without an action of a set whose filters take long, and does not delay other work', async () => {
    const sets = [1, 2, 3, 4, 5, 6].map((id) => someSet({ id, match: costly }));
    const turnsOf = measureTurns();
    const { runs } = await runsOf(sets, [signal(1, 1, payload)]);
    // A match cannot be interrupted, and a slow machine needs tens of milliseconds for the first one.
    const turns = turnsOf();
    expect(Math.max(...turns)).toBeLessThan(turns.reduce((sum, ms) => sum + ms) / 2);
    expect(runs).toHaveLength(6);
    expect(runs[0]!.steps).toEqual([{ problem: expect.stringMatching(/^The filter on p\d+ takes too long/) }]);
  });

  it('are those of the first signals when all take seconds', async () => {
    const signals = Array.from({ length: 100 }, (_, index) => signal(index + 1, 1, payload));
    const { runs, count } = await runsOf([someSet({ match: costly })], signals);
    expect(count).toBeLessThan(signals.length);
    expect(runs.map(({ signalId }) => signalId)).toEqual(signals.slice(0, count).map(({ id }) => id));
  });
});

describe('an error of a call', () => {
  it.each([
    ['unavailable', { state: 'retry', isUnknown: false }],
    ['timeout', { state: 'retry', isUnknown: true }],
    ['internal', { state: 'retry', isUnknown: true }],
    ['no-access', { state: 'failed' }],
    ['not-found', { state: 'failed' }],
    ['bad-data', { state: 'failed' }],
    ['validation', { state: 'failed' }],
    ['content-too-large', { state: 'failed' }],
  ] as const)('with the code %s means %j', (code, expected) => {
    expect(outcomeOf(new AppError(code, 'Reason.'))).toEqual({ ...expected, details: 'Reason.' });
  });

  it('without a code is of unknown outcome, and its text is not shown', () => {
    const details = 'The step could not be called.';
    expect(outcomeOf(new TypeError('x is undefined'))).toEqual({ state: 'retry', isUnknown: true, details });
  });
});

it('a retry follows within a second at first, and then every ten seconds', () => {
  expect([1, 2, 3, 5, 6, 60].map(retryDelayMs)).toEqual([500, 1_000, 2_000, 8_000, 10_000, 10_000]);
});

it('details are text that Postgres can store', () => {
  expect(storableText('a\u0000b\ud800')).toBe('a\ufffdb\ufffd');
  expect(storableText('x'.repeat(5_000))).toHaveLength(1_000);
});
