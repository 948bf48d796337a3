import { describe, expect, it, test } from 'vitest';
import type { FlagChange, StrategySettings } from './change.ts';
import { describeAttempt, describeChange, describeDone, detailsOf, strategyChanged } from './words.ts';

const target = { project: 'default', feature: 'checkout' };
const place = { environment: 'production', environmentType: 'production' };

const settings: StrategySettings = {
  ...{ name: 'flexibleRollout', title: null, disabled: false, segments: [], constraints: [], variants: [] },
  parameters: { rollout: '25', stickiness: 'default', groupId: 'checkout' },
};
const stored = { ...settings, id: 'a', featureName: 'checkout', sortOrder: 0 };
const country = {
  ...{ contextName: 'country', operator: 'IN' as const, inverted: false, caseInsensitive: false },
  values: ['NO'],
};

const plan = { url: 'https://example.com', title: 'Plan' };
const storedLink = { id: '7', url: 'https://example.com/old', title: null, feature: 'checkout' };

test('segments are named where their names are known', () => {
  const strategy = { ...settings, segments: [3], constraints: [country] };
  const change: FlagChange = { ...place, kind: 'add-strategy', strategy };
  const names = new Map([[3, 'beta people']]);
  const words = (segment: string) =>
    `the strategy “25 % in the segment ${segment} where country is NO” to checkout in production`;
  expect(describeChange(target, change, names)).toBe(`adds ${words('beta people')}`);
  expect(describeDone(target, change, names)).toBe(`Added ${words('beta people')}.`);
  expect(describeAttempt(target, change, names).notDone).toBe(`Did not add ${words('beta people')}.`);
  expect(describeChange(target, change)).toBe(`adds ${words('number 3')}`);
});

describe('describeChange', () => {
  it.each<[FlagChange, string]>([
    [{ ...place, kind: 'switch', isOn: false }, 'switches checkout off in production'],
    [{ kind: 'complete', status: 'kept', wasLive: true }, 'marks checkout as completed: its feature is kept'],
    [{ kind: 'uncomplete' }, 'marks checkout as live again'],
    [
      { ...place, kind: 'add-strategy', strategy: { ...settings, constraints: [country] } },
      'adds the strategy “25 % where country is NO” to checkout in production',
    ],
    [
      { ...place, kind: 'edit-strategy', before: stored, after: { ...settings, disabled: true } },
      'disables the strategy “25 %” of checkout in production',
    ],
    [
      { ...place, kind: 'edit-strategy', before: { ...stored, title: 'Nordic' }, after: settings },
      'changes the strategy “Nordic” of checkout in production',
    ],
    [{ ...place, kind: 'delete-strategy', before: stored }, 'deletes the strategy “25 %” of checkout in production'],
    [{ kind: 'settings', before: { stale: false }, after: { stale: true } }, 'marks checkout as stale'],
    [
      {
        kind: 'settings',
        before: { description: null, type: 'release' },
        after: { description: 'a', type: 'experiment' },
      },
      'changes the description and type of checkout',
    ],
    [
      { kind: 'tags', added: [{ type: 'simple', value: 'a' }], removed: [{ type: 'simple', value: 'b' }] },
      'adds the tag simple:a to checkout and removes the tag simple:b from checkout',
    ],
    [{ ...place, kind: 'variants', before: [], after: [] }, 'changes the variants of checkout in production'],
    [{ kind: 'dependencies', before: [], after: [] }, 'changes what checkout depends on'],
    [{ kind: 'link', before: null, after: plan }, 'adds the link “Plan” to checkout'],
    [{ kind: 'link', before: storedLink, after: plan }, 'changes the link “https://example.com/old” of checkout'],
    [{ kind: 'link', before: storedLink, after: null }, 'removes the link “https://example.com/old” from checkout'],
    [{ kind: 'archive' }, 'archives checkout, which switches it off in every environment'],
  ])('says what %o does', (change, words) => {
    expect(describeChange(target, change)).toBe(words);
  });
});

test.each<[FlagChange, string, string]>([
  [{ ...place, kind: 'switch', isOn: true }, 'switch checkout on in production', 'switched checkout on in production'],
  [{ kind: 'archive' }, 'archive checkout', 'archived checkout'],
  [
    { kind: 'tags', added: [{ type: 'simple', value: 'a' }], removed: [{ type: 'simple', value: 'b' }] },
    'add the tag simple:a to checkout and remove the tag simple:b from checkout',
    'added the tag simple:a to checkout and removed the tag simple:b from checkout',
  ],
])('says that %o was not done, or that it is unknown', (change, plain, past) => {
  expect(describeAttempt(target, change)).toEqual({
    ...{ notDone: `Did not ${plain}.`, unknown: `It is unknown whether this ${past}.` },
  });
});

describe('describeDone', () => {
  it.each<[FlagChange, string]>([
    [{ ...place, kind: 'switch', isOn: true }, 'Switched checkout on in production.'],
    [
      { ...place, kind: 'edit-strategy', before: stored, after: { ...settings, disabled: true } },
      'Disabled the strategy “25 %” of checkout in production.',
    ],
    [
      { kind: 'tags', added: [{ type: 'simple', value: 'a' }], removed: [{ type: 'simple', value: 'b' }] },
      'Added the tag simple:a to checkout and removed the tag simple:b from checkout.',
    ],
    [{ kind: 'settings', before: { stale: true }, after: { stale: false } }, 'Marked checkout as no longer stale.'],
    [{ kind: 'archive' }, 'Archived checkout. It is off in every environment.'],
  ])('says what %o has done', (change, words) => {
    expect(describeDone(target, change)).toBe(words);
  });
});

describe('detailsOf', () => {
  it('says what is required of each parent, and what no longer is', () => {
    const [before, after] = [
      [{ feature: 'old' }, { feature: 'kept', enabled: true, variants: [] }, { feature: 'turned' }],
      [
        { feature: 'kept' },
        { feature: 'turned', enabled: false },
        { feature: 'new', enabled: true, variants: ['blue', 'green'] },
      ],
    ];
    expect(detailsOf({ kind: 'dependencies', before, after })).toEqual([
      'It is on only where turned is off, and no longer where it is on.',
      'It is on only where new is on with the variant blue or green.',
      'It no longer depends on old.',
    ]);
  });

  it('says what differs of a link, and nothing of one that is removed', () => {
    expect(detailsOf({ kind: 'link', before: storedLink, after: plan })).toEqual([
      'The address: “https://example.com/old” → “https://example.com”.',
      'The title: none → “Plan”.',
    ]);
    expect(detailsOf({ kind: 'link', before: storedLink, after: null })).toEqual([]);
  });

  it('says how the shares of the variants of an environment change', () => {
    const [blue, green] = [
      { name: 'blue', weight: 1000 },
      { name: 'green', weight: 400, weightType: 'fix' as const },
    ];
    const change: FlagChange = { ...place, kind: 'variants', before: [blue], after: [{ ...blue, weight: 600 }, green] };
    expect(detailsOf(change)).toEqual(['The variant blue: 100 % → 60 %.', 'The variant green is added, with 40 %.']);
  });
});

describe('strategyChanged', () => {
  const changed = (after: Partial<StrategySettings>, before: Partial<StrategySettings> = {}) =>
    strategyChanged({ ...settings, ...before }, { ...settings, ...after }, new Map([[3, 'beta-users']]));

  it.each<[string, string[], string[]]>([
    ['nothing', changed({}), []],
    [
      'a parameter',
      changed({ parameters: { ...settings.parameters, rollout: '50' } }),
      ['The rollout: “25 %” → “50 %”.'],
    ],
    ['a title', changed({ title: 'Nordic' }), ['The title: none → “Nordic”.']],
    ['a new constraint', changed({ constraints: [country] }), ['The constraint country is NO is added.']],
    ['a removed constraint', changed({}, { constraints: [country] }), ['The constraint country is NO is removed.']],
    [
      'other values of a constraint',
      changed({ constraints: [{ ...country, values: ['NO', 'SE'] }] }, { constraints: [country] }),
      ['The constraint: country is NO → country is NO or SE.'],
    ],
    ['a segment', changed({ segments: [3] }), ['It is now only for the segment beta-users.']],
    ['a segment that is gone', changed({}, { segments: [4] }), ['The segment number 4 is no longer required.']],
  ])('names %s', (_, sentences, expected) => {
    expect(sentences).toEqual(expected);
  });

  it('counts the values that came and went in a long list', () => {
    const many = Array.from({ length: 1000 }, (__, index) => `user-${index}`);
    const [sentence] = changed(
      { constraints: [{ ...country, values: [...many.slice(2), 'new'] }] },
      { constraints: [{ ...country, values: many }] },
    );
    expect(sentence).toContain('One value added. 2 values removed.');
    expect(sentence!.length).toBeLessThan(200);
  });

  it('takes a stored constraint and a sent one for equal', () => {
    const value = { ...country, operator: 'NUM_GT' as const, value: '5' };
    const { values: _values, ...sent } = value;
    expect(changed({ constraints: [sent] }, { constraints: [{ ...value, values: [] }] })).toEqual([]);
  });

  it('names variants, their shares and payloads', () => {
    const blue = { name: 'blue', weight: 500, weightType: 'fix' as const, stickiness: 'default' };
    const green = { ...blue, name: 'green' };
    expect(
      changed(
        {
          variants: [
            { ...blue, weight: 333, payload: { type: 'string', value: '1' } },
            { ...green, name: 'red', weight: 667 },
          ],
        },
        { variants: [blue, green] },
      ),
    ).toEqual([
      'The variant blue: 50 % → 33.3 %.',
      'The payload of the variant blue: none → “1” (string).',
      'The variant red is added, with 66.7 %.',
      'The variant green is removed.',
    ]);
  });
});

it('detailsOf an order numbers the strategies', () => {
  const other = { ...stored, id: 'b', title: 'Nordic' };
  expect(detailsOf({ ...place, kind: 'order-strategies', before: [stored, other], after: [other, stored] })).toEqual([
    'The order becomes: 1. “Nordic”, 2. “25 %”.',
  ]);
});
