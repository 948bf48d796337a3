import type { EventType } from '@yardarm/shared/contracts/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { searchPattern, searchTextOf } from './event.ts';

const event = (data: Record<string, unknown> | null, createdBy = 'Ada', createdByUsername = createdBy) => ({
  type: 'feature-created' as EventType,
  createdBy,
  createdByUsername,
  data,
});

/** Evaluates LIKE as Postgres defines it. */
function isLike(text: string, pattern: string): boolean {
  const source = pattern.replace(/\\([\s\S])|%|_|[\s\S]/gu, (part, escaped: string | undefined) => {
    if (escaped !== undefined) return RegExp.escape(escaped);
    return part === '%' ? '[^]*' : part === '_' ? '[^]' : RegExp.escape(part);
  });
  return new RegExp(`^${source}$`, 'u').test(text);
}

const finds = (query: string, found: ReturnType<typeof event>) => isLike(searchTextOf(found), searchPattern(query)!);

describe('free text', () => {
  test.each([
    ['the type', 'feature-CREATED', event(null)],
    ['the username in another case', 'aDA', event(null)],
    ['the e-mail', 'ada@EXAMPLE.org', event(null, 'x', 'Ada@example.org')],
    ['a value of the data', 'kill switch', event({ description: 'Kill switch for checkout' })],
    ['a key of the data', 'impressiondata', event({ impressionData: true })],
    ['data as JSON', '"stale":false', event({ stale: false })],
    ['a percent sign', '50%', event({ description: '50% off' })],
    ['a backslash as it is typed', 'c:\\temp', event({ description: 'C:\\temp' })],
    ['a quotation mark as it is typed', 'say "hi"', event({ deep: [{ description: 'Say "Hi"' }] })],
    ['a key with a quotation mark', 'a"b', event({ 'a"b': 1 })],
    ['a Greek word in capitals', 'ΟΔΟΣ', event({ description: 'οδοσήμανση' })],
    ['half a surrogate pair', '\ud83d', event({ description: 'broken \ud83d here' })],
    ['NUL', 'a\u0000b', event({ description: 'a\u0000b' })],
  ])('finds %s', (_what, query, found) => {
    expect(finds(query, found)).toBe(true);
  });

  test.each([
    ['an underscore match any letter', 'a_a', event(null)],
    ['a percent sign match any text', 'f%d', event(null)],
    ['a match span the end of one part and the beginning of the next', 'createdada', event(null)],
    ['a match span two parts and their separator', 'created\u001fada', event(null)],
    ['a match be outside type, creator and data', 'production', event({ name: 'x' })],
  ])('does not let %s', (_what, query, found) => {
    expect(finds(query, found)).toBe(false);
  });

  test('finds any part of any text of the data', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.nat(), fc.nat(), (text, from, length) => {
        const characters = [...text];
        const start = from % characters.length;
        const part = characters.slice(start, start + 1 + (length % characters.length)).join('');
        return finds(part, event({ description: text }));
      }),
    );
  });

  test('a missing and an empty query have no pattern', () => {
    expect([searchPattern(undefined), searchPattern('')]).toEqual([null, null]);
  });
});
