import { describe, expect, it } from 'vitest';
import { stored } from '../testing/stored-feature.ts';
import { changeBetween, checkFeature, distinctTags, featureEventData, toDocument } from './feature.ts';

const before = toDocument(stored);

describe('changeBetween', () => {
  it.each([
    ['a description', { description: 'x' }, { metadata: true, stale: null, archive: null }],
    ['a type', { type: 'experiment' }, { metadata: true, stale: null, archive: null }],
    ['impression data', { impressionData: true }, { metadata: true, stale: null, archive: null }],
    ['stale', { stale: true }, { metadata: false, stale: 'on', archive: null }],
    ['archived', { archived: true }, { metadata: false, stale: null, archive: 'archived' }],
    ['everything', { type: 'x', stale: true, archived: true }, { metadata: true, stale: 'on', archive: 'archived' }],
  ])('names the kind of a change of %s, and of its reverse', (_, changes, change) => {
    expect(changeBetween(before, { ...before, ...changes })).toEqual(change);
    const back = changeBetween({ ...before, ...changes }, before);
    expect(back?.stale ?? null).toBe(change.stale && 'off');
    expect(back?.archive ?? null).toBe(change.archive && 'revived');
  });

  it('is null between equal documents', () => {
    expect(changeBetween(before, { ...before })).toBeNull();
  });
});

describe('checkFeature', () => {
  const types = ['release', 'experiment'];

  it('refuses an unknown type, naming the known ones and the one sent', () => {
    expect(() => checkFeature({ type: 'relese', description: null }, types)).toThrow(
      'The .type property should be one of release, experiment. You sent "relese".',
    );
  });

  it('refuses a description of more than 10000 characters and accepts one of 10000', () => {
    expect(() => checkFeature({ type: 'release', description: 'x'.repeat(10_001) }, types)).toThrow(
      /\.description.*10000/,
    );
    expect(() => checkFeature({ type: 'release', description: 'x'.repeat(10_000) }, types)).not.toThrow();
  });
});

describe('distinctTags', () => {
  it('drops repetitions and keeps tags that differ in one of type and value', () => {
    const tags = [
      { type: 'simple', value: 'a' },
      { type: 'simple', value: 'a' },
      { type: 'other', value: 'a' },
    ];
    expect(distinctTags(tags)).toEqual([tags[0], tags[2]]);
  });

  it('refuses more than 50', () => {
    const tags = Array.from({ length: 51 }, (_, index) => ({ type: 'simple', value: `v${index}` }));
    expect(() => distinctTags(tags)).toThrow(/\.tags.*at most 50.*51/);
  });
});

describe('featureEventData', () => {
  it('has the properties that the public product has in events of a flag', () => {
    expect(featureEventData({ ...stored, archivedAt: new Date('2026-02-03T00:00:00Z') })).toEqual({
      name: 'checkout',
      description: null,
      type: 'release',
      project: 'default',
      stale: false,
      createdAt: '2026-01-02T03:04:05.678Z',
      lastSeenAt: null,
      impressionData: false,
      archived: true,
      archivedAt: '2026-02-03T00:00:00.000Z',
    });
  });
});
