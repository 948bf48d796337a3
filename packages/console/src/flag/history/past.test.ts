import type { EventType } from '@yardarm/shared/contracts/events';
import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../api/queries.ts';
import { areas } from '../../live/events.ts';
import type { Flag } from '../../save/after.ts';
import type { Strategy } from '../../save/change.ts';
import { type PastFlag, pastOf, undos } from './past.ts';

const strategy = (id: string, sortOrder: number, rollout = '50'): Strategy => ({
  ...{ id, name: 'flexibleRollout', title: id, disabled: false, featureName: 'checkout', sortOrder },
  ...{ segments: [], constraints: [], variants: [], parameters: { rollout } },
});
const [one, two] = [strategy('one', 0), strategy('two', 1)];
const blue = { name: 'blue', weight: 1000, weightType: 'variable' as const, stickiness: 'default' };
const parent = { feature: 'parent', enabled: true, variants: [] };
const tag = { type: 'simple', value: 'red' };

const production = { name: 'production', type: 'production', enabled: true, strategies: [one, two], variants: [blue] };
const now = {
  ...{ name: 'checkout', project: 'shop', type: 'release', description: 'new', stale: true, impressionData: true },
  ...{ archived: false, tags: [tag], links: [], dependencies: [parent], environments: [production] },
} as unknown as Flag;

/** As `pastOf` has what is now. */
const same: PastFlag = {
  ...{ project: 'shop', type: 'release', description: 'new', stale: true, impressionData: true, archived: false },
  ...{ tags: [tag], links: [], dependencies: [parent], environments: [production] },
};

const event = (type: EventType, rest: Partial<LogEvent> = {}, id = 7): LogEvent => ({
  ...{ id, type, createdAt: `2026-11-26T12:00:0${id}.000Z`, createdBy: 'ann', createdByUserId: 2, tags: [] },
  ...{ project: 'shop', featureName: 'checkout', environment: null, data: null, preData: null, label: '', summary: '' },
  ...rest,
});
const before = Date.parse('2026-11-26T12:00:00.000Z');
const inProduction = { environment: 'production' };
const withProduction = (change: object): Partial<PastFlag> => ({ environments: [{ ...production, ...change }] });

/**
 * For each type that changes what is shown: an event, what differs before it, and what the flag is now if that is not
 * `now`.
 */
const cases: [type: EventType, rest: Partial<LogEvent>, differs: Partial<PastFlag>, is?: object][] = [
  [
    'feature-metadata-updated',
    { preData: { type: 'experiment', description: null, impressionData: false, stale: false } },
    { type: 'experiment', description: null, impressionData: false },
  ],
  ['feature-stale-on', {}, { stale: false }],
  ['feature-stale-off', {}, { stale: true }, { stale: false }],
  ['feature-archived', {}, { archived: false }, { archived: true }],
  ['feature-revived', {}, { archived: true }],
  ['feature-project-change', { data: { oldProject: 'old', newProject: 'shop' } }, { project: 'old' }],
  ['feature-tagged', { data: tag }, { tags: [] }],
  ['feature-untagged', { data: { ...tag, value: 'blue' } }, { tags: [tag, { ...tag, value: 'blue' }] }],
  ['feature-dependency-added', { data: parent }, { dependencies: [] }],
  [
    'feature-dependency-removed',
    { preData: { ...parent, feature: 'other' } },
    { dependencies: [parent, { ...parent, feature: 'other' }] },
  ],
  [
    'feature-dependencies-removed',
    { preData: { dependencies: [{ ...parent, enabled: false }] } },
    { dependencies: [{ ...parent, enabled: false }] },
  ],
  ['feature-environment-enabled', inProduction, withProduction({ enabled: false })],
  ['feature-environment-disabled', inProduction, withProduction({ enabled: true }), withProduction({ enabled: false })],
  [
    'feature-environment-variants-updated',
    { ...inProduction, preData: { variants: [] } },
    withProduction({ variants: [] }),
  ],
  ['feature-strategy-add', { ...inProduction, data: { ...two } }, withProduction({ strategies: [one] })],
  [
    'feature-strategy-update',
    { ...inProduction, preData: { ...strategy('one', 0, '10') } },
    withProduction({ strategies: [strategy('one', 0, '10'), two] }),
  ],
  [
    'feature-strategy-remove',
    { ...inProduction, preData: { ...strategy('gone', 0.5) } },
    withProduction({ strategies: [one, strategy('gone', 0.5), two] }),
  ],
  [
    'strategy-order-changed',
    { ...inProduction, preData: { strategyIds: ['two', 'one'] } },
    withProduction({ strategies: [strategy('two', 0), strategy('one', 1)] }),
  ],
  ['project-environment-added', { ...inProduction, featureName: null }, { environments: [] }],
];

/** Their cases are below, because they need another event or say what is not known. */
const otherCases: EventType[] = ['project-environment-removed', 'environment-deleted', 'feature-created'];

describe('pastOf', () => {
  it('has a row for every type that concerns a flag or its project', () => {
    const concerned = Object.entries(areas).filter(([, area]) =>
      ['feature', 'several-features', 'project'].includes(area),
    );
    for (const [type] of concerned) expect(undos, type).toHaveProperty(type);
  });

  it('has a case for every row that does something', () => {
    const rows = Object.entries(undos).filter(([, undo]) => undo !== undos['feature-created']);
    const tested = [...cases.map(([type]) => type), ...otherCases];
    expect(rows.map(([type]) => type).filter((type) => !tested.includes(type as EventType))).toEqual([]);
  });

  it.each(cases)('takes %s back', (type, rest, differs, is = {}) => {
    const flag = { ...now, ...is } as Flag;
    expect(pastOf(flag, [], before).flag).not.toEqual({ ...same, ...differs });
    expect(pastOf(flag, [event(type, rest)], before)).toEqual({ flag: { ...same, ...differs }, unknown: [] });
  });

  it('takes a parent back to what it was, and links that were changed', () => {
    const changed = event('feature-dependency-added', { data: parent, preData: { ...parent, enabled: false } });
    expect(pastOf(now, [changed], before).flag!.dependencies).toEqual([{ ...parent, enabled: false }]);
    const links = [{ id: '1', url: 'https://example.com', title: null }];
    const linked = event('feature-metadata-updated', { preData: { ...now, links } as unknown as LogEvent['preData'] });
    expect(pastOf(now, [linked], before).flag!.links).toEqual([{ url: 'https://example.com', title: null }]);
  });

  it('takes back only what came after the moment, the newest first', () => {
    const events = [
      event('feature-strategy-update', { ...inProduction, preData: { ...strategy('one', 0, '10') } }, 3),
      event('feature-strategy-update', { ...inProduction, preData: { ...strategy('one', 0, '20') } }, 5),
    ];
    const rolloutAt = (second: number) =>
      pastOf(now, events, before + second * 1000).flag!.environments[0]!.strategies[0]!.parameters.rollout;
    expect([rolloutAt(2), rolloutAt(3), rolloutAt(4), rolloutAt(5)]).toEqual(['10', '20', '20', '50']);
  });

  it('ends where the flag was made, and says that an earlier flag had its name', () => {
    const made = event('feature-created', {}, 5);
    expect(pastOf(now, [made], before)).toEqual({ flag: null, unknown: [] });
    const deleted = event('feature-deleted', { preData: {} }, 3);
    expect(pastOf(now, [deleted, made], before)).toEqual({
      flag: null,
      unknown: ['An earlier flag had this name. What it was is not known.'],
    });
  });

  it('knows an environment that the project removed and added again, unless it was deleted between', () => {
    const ofProject = { ...inProduction, featureName: null };
    const removed = event('project-environment-removed', ofProject, 3);
    const added = event('project-environment-added', ofProject, 5);
    const isOn = 'Whether it was on in production is not known: the project removed it later.';
    expect(pastOf(now, [removed, added], before)).toEqual({
      flag: { ...same, ...withProduction({ enabled: null }) },
      unknown: [isOn],
    });
    const switched = event('feature-environment-enabled', inProduction, 2);
    expect(pastOf(now, [switched, removed, added], before)).toEqual({
      flag: { ...same, ...withProduction({ enabled: false }) },
      unknown: [],
    });
    const disabled = { ...now, ...withProduction({ strategies: [{ ...one, disabled: true }] }) } as Flag;
    expect(pastOf(disabled, [removed, added], before).unknown).toEqual([
      'Whether the disabled strategies of production were in use is not known: the project removed it later.',
      isOn,
    ]);
    const deleted = event('environment-deleted', { ...ofProject, project: null }, 4);
    expect(pastOf(now, [removed, deleted, added], before)).toEqual({
      flag: { ...same, environments: [] },
      unknown: ['What the flag had in production is not known: the project removed it later.'],
    });
  });

  it('ignores the environments of other projects', () => {
    const added = event('project-environment-added', { ...inProduction, featureName: null, project: 'other' });
    expect(pastOf(now, [added], before).flag).toEqual(same);
  });

  it('says what an event does not say, and guesses nothing', () => {
    const bare = event('feature-strategy-update', { ...inProduction, label: 'Flag strategy updated' });
    expect(pastOf(now, [bare], before)).toEqual({
      flag: same,
      unknown: ['Event 7 (Flag strategy updated in production) does not say what was before it.'],
    });
  });

  it('says that a place among strategies is not known once their order was changed', () => {
    const removed = event('feature-strategy-remove', { ...inProduction, preData: { ...strategy('gone', 0) } }, 3);
    const ordered = event('strategy-order-changed', { ...inProduction, preData: { strategyIds: ['two', 'one'] } }, 5);
    expect(pastOf(now, [removed, ordered], before).unknown).toEqual([
      'The place of the strategy “gone” among those of production is not known.',
    ]);
  });
});
