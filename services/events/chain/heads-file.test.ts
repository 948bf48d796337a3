import { expect, test } from 'vitest';
import { readHeads } from './heads-file.ts';

const hash = 'a'.repeat(43);
const time = '2026-01-31T12:00:00.000Z';

test('heads and drops are distinguished, and empty lines are skipped', () => {
  expect(readHeads(`${time} 20:${hash}\n${time} dropped 9:${hash}\n\n${time} dropped 19:\n`)).toEqual({
    heads: [{ id: 20, hash }],
    dropped: [
      { id: 9, hash },
      { id: 19, hash: '' },
    ],
  });
});

test.each([
  `20:${hash}`,
  `${time} 20:${hash}${time} 21:${hash}`,
  `${time} 20:`,
  `${time} lost 20:${hash}`,
  `${time} x:${hash}`,
])('%j is refused with its line number', (line) => {
  expect(() => readHeads(`${time} 1:${hash}\n${line}\n`)).toThrow('line 2 is no head');
});
