import { describe, expect, it } from 'vitest';
import { checkLegalValues, withLegalValue } from './context-field.ts';

describe('checkLegalValues', () => {
  it('names a value that occurs twice', () => {
    const values = [{ value: 'gold' }, { value: 'silver' }, { value: 'gold', description: 'again' }];
    expect(() => checkLegalValues(values)).toThrow(/\.legalValues\[2\]\.value.*unique.*"gold"/);
  });

  it('refuses more text than an event can have', () => {
    const values = Array.from({ length: 50 }, (_, index) => ({ value: `v${index}`, description: 'x'.repeat(10_000) }));
    expect(() => checkLegalValues(values)).toThrow(/\.legalValues.*at most 400000 bytes/);
  });
});

describe('withLegalValue', () => {
  const values = [{ value: 'gold' }, { value: 'silver' }];

  it('adds a new value at the end', () => {
    expect(withLegalValue(values, { value: 'tin' })).toEqual([...values, { value: 'tin' }]);
  });

  it('replaces a known value in its place', () => {
    const described = { value: 'gold', description: 'The largest plan.' };
    expect(withLegalValue(values, described)).toEqual([described, { value: 'silver' }]);
  });
});
