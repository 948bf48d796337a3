import { describe, expect, it } from 'vitest';
import {
  changeBetween,
  maxSegmentBytes,
  requireSegmentSize,
  type StoredSegment,
  segmentInUse,
  toSegment,
} from './segment.ts';

const constraint = {
  ...{ contextName: 'userId', operator: 'IN' as const, values: ['1'] },
  ...{ caseInsensitive: false, inverted: false },
};
const segment: StoredSegment = {
  id: 3,
  name: 'beta',
  description: null,
  project: null,
  constraints: [constraint],
  createdBy: 'ann',
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
};

it('a segment has the numbers of its uses', () => {
  expect(toSegment(segment, { usedInFeatures: 2, usedInProjects: 1 })).toEqual({
    ...segment,
    createdAt: '2026-01-02T03:04:05.678Z',
    ...{ usedInFeatures: 2, usedInProjects: 1 },
  });
});

describe('changeBetween', () => {
  it.each([
    ['nothing', {}, null],
    ['equal constraints', { constraints: [{ ...constraint }] }, null],
    ['the name', { name: 'gamma' }, { isVisible: true }],
    ['the constraints', { constraints: [] }, { isVisible: true }],
    ['the description', { description: 'd' }, { isVisible: false }],
    ['the project', { project: 'default' }, { isVisible: false }],
  ])('of %s', (_, changes, expected) => {
    expect(changeBetween(segment, { ...segment, ...changes })).toEqual(expected);
  });
});

it('a segment may have as many bytes as fit into an event twice', () => {
  const of = (size: number) => ({ ...segment, constraints: [{ ...constraint, values: ['x'.repeat(size)] }] });
  const rest = Buffer.byteLength(JSON.stringify(of(0).constraints));
  expect(() => requireSegmentSize(of(maxSegmentBytes - rest))).not.toThrow();
  expect(() => requireSegmentSize(of(maxSegmentBytes - rest + 1))).toThrow(String(maxSegmentBytes + 1));
});

it('the refusal of a deletion names the first uses', () => {
  const use = { id: 'u', featureName: 'checkout', projectId: 'p', environment: 'production', strategyName: 'default' };
  const { code, message } = segmentInUse(segment, [use]);
  expect({ code, message }).toEqual({
    code: 'conflict',
    message: 'The segment "beta" with ID 3 is in use by the strategies u of the flag checkout in production.',
  });
  expect(segmentInUse(segment, Array(11).fill(use)).message).toMatch(/and others\.$/);
});
