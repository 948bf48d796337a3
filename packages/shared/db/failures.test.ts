// Proves what a failure is taken for by its class, its code and its words. That Postgres and pg use them so: database.int.test.ts.
import pg from 'pg';
import { expect, test } from 'vitest';
import { isRefused, isUnavailable, translated } from './failures.ts';

const failureOf = (code: string) => Object.assign(new Error('failed'), { code });
const answerOf = (code: string) => Object.assign(new pg.DatabaseError('failed', 6, 'error'), { code });

test.each(['23505', '22P02', '0A000', '57014', 'EPIPE'])('%s is an answer of Postgres, translated or not', (code) => {
  expect(isRefused(answerOf(code))).toBe(true);
  expect(isRefused(translated(answerOf(code)))).toBe(true);
});

test.each(['EPIPE', 'ECONNRESET', '57014'])('%s of another error is no answer of Postgres', (code) => {
  expect(isUnavailable(failureOf(code))).toBe(code !== '57014');
  expect(isRefused(failureOf(code))).toBe(false);
  expect(isRefused(translated(failureOf(code)))).toBe(false);
});
