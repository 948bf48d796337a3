import { expect, test } from 'vitest';
import { databaseUrlProblem, urlsOfHosts } from './database-url.ts';

test('a URL with several hosts is one URL for each', () => {
  expect(urlsOfHosts('postgres://me:p%40ss@a:5433,b,[::1]:5434/db?sslmode=verify-full')).toEqual([
    'postgres://me:p%40ss@a:5433/db?sslmode=verify-full',
    'postgres://me:p%40ss@b/db?sslmode=verify-full',
    'postgres://me:p%40ss@[::1]:5434/db?sslmode=verify-full',
  ]);
  expect(urlsOfHosts('postgresql://localhost')).toEqual(['postgresql://localhost']);
});

test('a wrong URL is refused in a sentence without its values', () => {
  expect(databaseUrlProblem('postgres://me:secret@a,b/db?target_session_attrs=read-write')).toBeNull();
  expect(databaseUrlProblem('postgres://me:secret@a/db?sslmode=verify-full')).toBeNull();
  expect(databaseUrlProblem('mysql://me:secret@a/db')).toBe('should be a postgres:// URL');
  expect(databaseUrlProblem('postgres://me:secret@a:54x3,b/db')).toContain('several host:port');
  expect(databaseUrlProblem('postgres://me:secret@a/db?target_session_attrs=any')).toContain('read-write or primary');
  expect(databaseUrlProblem('postgres://me:secret@a/db?sslrootcert=/none/ca.crt')).toContain('sslrootcert');
});
