import { expect, test } from 'vitest';
import { readHeads } from './heads-file.ts';

const hash = 'a'.repeat(43);
const at = '2026-01-31T12:00:00.000Z';

test('heads, drops and restores are distinguished; empty and torn lines are skipped', () => {
  const torn = `${at} 2 torn\n${at} 20:aaa torn\n${at} dropped 2: torn`;
  const text = `${at} 20:v2.${hash}\n${at} dropped 9:${hash}\n\n${torn}\n${at} dropped 19:\n${at} restored 7:${hash}\n${at} 21:${hash}`;
  expect(readHeads(text)).toEqual({
    heads: [{ at, id: 20, hash: `v2.${hash}` }],
    dropped: [
      { at, id: 9, hash },
      { at, id: 19, hash: '' },
    ],
    restored: [{ at, id: 7, hash }],
  });
});

test.each([
  `20:${hash}`,
  `${at} 20:${hash}${at} 21:${hash}`,
  `${at} 20:`,
  `${at} lost 20:${hash}`,
  `${at} 20:v3.${hash}`,
  `${at} x:${hash}`,
])('%j is refused with its line number', (line) => {
  expect(() => readHeads(`${at} 1:${hash}\n${line}\n`)).toThrow('line 2 is no head');
});
