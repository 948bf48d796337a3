import { noBudget } from '@yardarm/evaluation';
import { describe, expect, it } from 'vitest';
import { compileFilters, compileMatch, type Match } from './matching.ts';
import { parsePayload } from './payload.ts';

type Filter = Partial<Match['payload'][string]>;

const filter = (over: Filter): Match['payload'][string] => ({
  ...{ operator: 'IN', inverted: false, caseInsensitive: false },
  ...over,
});
const match = (payload: Match['payload']): Match => ({ source: 'signal-endpoint', sourceId: 1, payload });
const matches = (over: Filter, payload: unknown) => compileMatch(match({ p: filter(over) }))(payload);

describe('compileMatch', () => {
  it.each([{}, null, [], 'text', { p: 1 }])('matches %j without filters', (payload) => {
    expect(compileMatch(match({}))(payload)).toBe(true);
  });

  it('requires all filters', () => {
    const both = compileMatch(
      match({
        'labels.severity': filter({ values: ['critical'] }),
        'alerts[0].value': filter({ operator: 'NUM_GT', value: '90' }),
      }),
    );
    const payload = (severity: string, value: number) => ({ labels: { severity }, alerts: [{ value }] });
    expect(both(payload('critical', 91))).toBe(true);
    expect(both(payload('warning', 91))).toBe(false);
    expect(both(payload('critical', 90))).toBe(false);
  });

  it.each<[Filter, unknown, boolean]>([
    [{ operator: 'IN', values: ['5'] }, 5, true],
    [{ operator: 'IN', values: ['true'] }, true, true],
    [{ operator: 'IN', values: ['0.5'] }, 0.5, true],
    [{ operator: 'IN', values: ['5'] }, 6, false],
    [{ operator: 'NOT_IN', values: ['5'] }, 6, true],
    [{ operator: 'NOT_IN', values: ['5'] }, 5, false],
    [{ operator: 'NOT_IN', values: ['5'], inverted: true }, 5, true],
    [{ operator: 'STR_STARTS_WITH', values: ['50'] }, 503, true],
    [{ operator: 'STR_ENDS_WITH', values: ['UE'], caseInsensitive: true }, true, true],
    [{ operator: 'STR_CONTAINS', values: ['rit'] }, 'critical', true],
    [{ operator: 'NUM_EQ', value: '5' }, '5.0', true],
    [{ operator: 'NUM_GTE', value: '5' }, 5, true],
    [{ operator: 'NUM_LT', value: '5' }, true, false],
    [{ operator: 'NUM_LT', value: '5' }, 'few', false],
    [{ operator: 'NUM_LT', value: '5', inverted: true }, 'few', true],
    [{ operator: 'DATE_AFTER', value: '2026-01-01' }, '2026-01-02T00:00:00Z', true],
    [{ operator: 'DATE_BEFORE', value: '2026-01-01' }, '2026-01-02T00:00:00Z', false],
    [{ operator: 'DATE_BEFORE', value: '2026-01-01' }, 0, true],
    [{ operator: 'DATE_BEFORE', value: '2026-01-01' }, true, false],
    [{ operator: 'DATE_AFTER', value: '2026-01-01' }, 'soon', false],
    [{ operator: 'DATE_AFTER', value: '2026-01-01', inverted: true }, 'soon', true],
    [{ operator: 'DATE_AFTER', value: '2026-01-01' }, '', false],
    [{ operator: 'SEMVER_GT', value: '1.2.0' }, '1.10.0', true],
    [{ operator: 'REGEX', value: '^err(or)?$' }, 'error', true],
    [{ operator: 'IN_CIDR', values: ['10.0.0.0/8'] }, '10.1.2.3', true],
  ])('compares by %j the value %j: %s', (over, value, expected) => {
    expect(matches(over, { p: value })).toBe(expected);
  });

  it.each<[Filter, string, boolean]>([
    [{ operator: 'IN', values: ['9007199254740993'] }, '9007199254740993', true],
    [{ operator: 'IN', values: ['9007199254740992'] }, '9007199254740993', false],
    [{ operator: 'IN', values: ['1e400'] }, '1e400', true],
    [{ operator: 'STR_ENDS_WITH', values: ['890'] }, '12345678901234567890', true],
    // The number operators of all SDKs have 53 bits.
    [{ operator: 'NUM_GT', value: '10' }, '20000000000000000000', true],
    [{ operator: 'NUM_LT', value: '10' }, '-1e400', true],
    [{ operator: 'NUM_EQ', value: '9007199254740992' }, '9007199254740993', true],
    [{ operator: 'DATE_AFTER', value: '2000-01-01' }, '9007199254740993', false],
  ])('compares by %j the number that was sent as %s: %s', (over, sent, expected) => {
    expect(matches(over, parsePayload(`{"p":${sent}}`))).toBe(expected);
  });

  describe.each([
    ['nothing', {}],
    ['null', { p: null }],
    ['an object', { p: { q: 1 } }],
    ['a list', { p: ['5'] }],
    ['a payload that is a list', [{ p: '5' }]],
    ['a payload that is a text', '5'],
    ['no payload', null],
  ])('with %s as the parameter', (_, payload) => {
    it.each<[Filter]>([
      [{ operator: 'IN', values: ['5', '', 'null', 'undefined', '[object Object]'] }],
      [{ operator: 'STR_CONTAINS', values: ['u'] }],
      [{ operator: 'NUM_EQ', value: '0' }],
      [{ operator: 'NUM_LT', value: '5' }],
      [{ operator: 'DATE_AFTER', value: '2000-01-01' }],
      [{ operator: 'DATE_BEFORE', value: '3000-01-01' }],
      [{ operator: 'SEMVER_LT', value: '9.0.0' }],
      [{ operator: 'REGEX', value: '.*' }],
      [{ operator: 'IN_CIDR', values: ['0.0.0.0/0'] }],
    ])('%j is false, and true with inverted', (over) => {
      expect(matches(over, payload)).toBe(false);
      expect(matches({ ...over, inverted: true }, payload)).toBe(true);
    });

    it('NOT_IN is true, and false with inverted', () => {
      expect(matches({ operator: 'NOT_IN', values: ['5'] }, payload)).toBe(true);
      expect(matches({ operator: 'NOT_IN', values: ['5'], inverted: true }, payload)).toBe(false);
    });
  });

  it('gives the names of context fields no meaning', () => {
    const names = ['userId', 'currentTime', 'properties', 'parameter', 'properties.country'];
    for (const name of names) {
      const isX = compileMatch(match({ [name]: filter({ values: ['x'] }) }));
      expect(isX({ [name]: 'x' })).toBe(true);
      expect(isX({ parameter: 'x', properties: { [name]: 'x' } })).toBe(name === 'parameter');
    }
    const after = compileMatch(match({ since: filter({ operator: 'DATE_AFTER', value: '2026-01-01' }) }));
    expect(after({ currentTime: '2026-06-01', since: '2025-01-01' })).toBe(false);
  });
});

it('compileFilters shows what each filter compares', () => {
  const filters = compileFilters({ a: filter({ values: ['1'] }), 'b.c': filter({ values: ['x'] }) });
  const payload = { a: 1, b: { c: null } };
  expect(filters.map((each) => [each.parameter, each.valueIn(payload), each.matches(payload, noBudget)])).toEqual([
    ['a', '1', true],
    ['b.c', null, false],
  ]);
});
