// Proves how errors are classified by class, code and message. database.int.test.ts has the errors of a real Postgres.
import pg from 'pg';
import { expect, test } from 'vitest';
import { checkViolation, isFromPostgres, isRefusedLogin, isUnavailable, translateError } from './failures.ts';

const otherError = (code: string) => Object.assign(new Error('failed'), { code });
const postgresError = (code: string) => Object.assign(new pg.DatabaseError('failed', 6, 'error'), { code });

test.each(['23505', '22P02', '0A000', '57014', 'EPIPE'])('%s comes from Postgres, translated or not', (code) => {
  expect(isFromPostgres(postgresError(code))).toBe(true);
  expect(isFromPostgres(translateError(postgresError(code)))).toBe(true);
});

test.each(['EPIPE', 'ECONNRESET', '57014'])('%s of another class does not come from Postgres', (code) => {
  expect(isUnavailable(otherError(code))).toBe(code !== '57014');
  expect(isFromPostgres(otherError(code))).toBe(false);
  expect(isFromPostgres(translateError(otherError(code)))).toBe(false);
});

test.each(['28P01', '28000'])('%s is a refused login, translated or not, and the database is unavailable', (code) => {
  expect(translateError(postgresError(code))).toMatchObject({ code: 'unavailable' });
  expect(isRefusedLogin(postgresError(code))).toBe(true);
  expect(isRefusedLogin(translateError(postgresError(code)))).toBe(true);
  expect(isRefusedLogin(translateError(postgresError('57P01')))).toBe(false);
});

test.each([
  ['English', 'Failing row contains (development, default, 12, 600001, 600000).'],
  ['German', 'Fehlgeschlagene Zeile enthält (development, default, 12, 600001, 600000).'],
])('a violated check is found with its row, whose detail is %s', (_, detail) => {
  const error = Object.assign(postgresError('23514'), { constraint: 'revisions_bytes_limit', detail });
  const row = ['development', 'default', '12', '600001', '600000'];
  expect(checkViolation(error)).toEqual({ constraint: 'revisions_bytes_limit', row });
  expect(checkViolation(postgresError('23505'))).toBeNull();
  expect(checkViolation(otherError('23514'))).toBeNull();
});
