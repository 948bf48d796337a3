import { describe, expect, test } from 'vitest';
import { testRunOptions, useMemoryForTemporaryFiles } from './options.ts';

describe('the seed of the property tests', () => {
  test('is always the same in a short run', () => {
    expect(testRunOptions({})).toEqual({ depth: 'short', seed: 1 });
  });

  test('is another one in each long run', () => {
    const seeds = Array.from({ length: 10 }, () => testRunOptions({ YARDARM_TEST_DEPTH: 'long' }).seed);
    expect(new Set(seeds).size).toBeGreaterThan(1);
  });

  test('is the one that is given, so that a run can be repeated', () => {
    expect(testRunOptions({ YARDARM_TEST_DEPTH: 'long', YARDARM_TEST_SEED: '-7' })).toEqual({
      depth: 'long',
      seed: -7,
    });
  });
});

test('an unknown depth is refused', () => {
  expect(() => testRunOptions({ YARDARM_TEST_DEPTH: 'deep' })).toThrow('YARDARM_TEST_DEPTH');
});

test('temporary files stay where TMPDIR says', () => {
  const environment = { TMPDIR: '/somewhere' };
  useMemoryForTemporaryFiles(environment);
  expect(environment).toEqual({ TMPDIR: '/somewhere' });
});
