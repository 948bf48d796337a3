// Proves what a failure is taken for by its code and its words. That Postgres and pg use them so: database.int.test.ts.
import { expect, test } from 'vitest';
import { isRefused, isUnavailable, translated } from './failures.ts';

const failureOf = (code: string) => Object.assign(new Error('failed'), { code });

test.each(['23505', '22P02', '0A000', '57014'])('%s is an answer of Postgres, translated or not', (code) => {
  expect(isRefused(failureOf(code))).toBe(true);
  expect(isRefused(translated(failureOf(code)))).toBe(true);
});

test.each(['EPIPE', 'ECONNRESET'])('%s is no answer of Postgres: what was sent may have been done', (code) => {
  expect(isUnavailable(failureOf(code))).toBe(true);
  expect(isRefused(failureOf(code))).toBe(false);
  expect(isRefused(translated(failureOf(code)))).toBe(false);
});
