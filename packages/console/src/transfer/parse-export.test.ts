import { expect, test } from 'vitest';
import { parseExport } from './parse-export.ts';

test('an export is read with everything in it', () => {
  const text = '{"features":[{"name":"checkout"}],"segments":[]}';
  expect(parseExport(text)).toEqual({ features: [{ name: 'checkout' }], segments: [] });
});

test.each([
  ['{', 'This is not JSON'],
  ['null', 'no list called features'],
  ['[]', 'no list called features'],
  ['{"features":{}}', 'no list called features'],
  ['{"features":[]}', 'has no flag'],
])('%s is refused with a reason', (text, reason) => {
  expect(parseExport(text)).toContain(reason);
});
