// Proves that a secret setting can come from a file, and that no problem of it shows what the file has. Does not assert
// how connections change their login; db/logins.int.test.ts and bus/logins.int.test.ts do.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError, commaSeparated, loadConfig, loginsOf, secret, secretLogin } from './index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const settings = {
  KEY: secret(z.string().min(4, 'should have four characters')),
  TOKENS: secret(commaSeparated.prefault('')),
  LOGIN: secretLogin(
    z
      .string()
      .regex(/^postgres:/, 'should be a postgres:// URL')
      .optional(),
  ),
  PLAIN: z.string().default('unset'),
};

function fileWith(text: string): string {
  const file = path.join(folder, 'value');
  writeFileSync(file, text);
  return file;
}

function problemsOf(environment: Record<string, string>): string {
  try {
    loadConfig(settings, environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  return 'none';
}

test('a secret is the content of its file without the last line break', () => {
  const file = fileWith('s3cret\n');
  expect(loadConfig(settings, { KEY_FILE: file })).toMatchObject({ KEY: 's3cret', KEY_FILE: file, TOKENS: [] });
  expect(loadConfig(settings, { KEY: 'given', TOKENS_FILE: fileWith('a, b') })).toMatchObject({ TOKENS: ['a', 'b'] });
  expect(loadConfig(settings, { KEY_FILE: fileWith('s3cret\r\n') }).KEY).toBe('s3cret');
});

test('an empty variable counts as absent, beside a file and for a file', () => {
  expect(loadConfig(settings, { KEY: '', KEY_FILE: fileWith('s3cret') }).KEY).toBe('s3cret');
  expect(loadConfig(settings, { KEY: 'given', KEY_FILE: '' }).KEY).toBe('given');
});

test('only secret settings have files', () => {
  expect(loadConfig(settings, { KEY: 'given', PLAIN_FILE: '/missing' }).PLAIN).toBe('unset');
});

test.each([
  ['both', (file: string) => ({ KEY: 'other-s3cret', KEY_FILE: file }), /KEY: is set, and KEY_FILE too \(.*\/value\)/],
  [
    'a missing file',
    (file: string) => ({ KEY_FILE: `${file}.missing` }),
    /KEY_FILE: .*missing cannot be read \(ENOENT\)/,
  ],
  ['a folder', (file: string) => ({ KEY_FILE: path.dirname(file) }), /KEY_FILE: .* is not a regular file/],
  [
    'a device without an end',
    () => ({ KEY_FILE: '/dev/zero' }),
    /KEY_FILE: the file \/dev\/zero is not a regular file/,
  ],
  [
    'a device without an end for a login',
    () => ({ KEY: 'given', LOGIN_FILE: '/dev/zero' }),
    /LOGIN_FILE: the file \/dev\/zero is not a regular file/,
  ],
  ['a wrong value', (file: string) => ({ KEY: 'given', LOGIN_FILE: file }), /LOGIN_FILE \(.*\): should be a postgres/],
])('%s is a problem that names the setting and the file and not the content', (_, environment, expected) => {
  const problems = problemsOf(environment(fileWith('s3cret')));
  expect(problems).toMatch(expected);
  expect(problems).not.toContain('s3cret');
});

test.each(['', '\n'])('an empty file is a problem (%j)', (text) => {
  expect(problemsOf({ KEY_FILE: fileWith(text) })).toMatch(/KEY_FILE: the file .*\/value is empty/);
  expect(problemsOf({ KEY: 'given', LOGIN_FILE: fileWith(text) })).toMatch(/LOGIN_FILE: the file .*\/value is empty/);
});

test('a pipe that nobody writes is a problem and does not stop the process', () => {
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(problemsOf({ KEY_FILE: pipe })).toMatch(/KEY_FILE: the file .*\/pipe is not a regular file/);
  expect(problemsOf({ KEY: 'given', LOGIN_FILE: pipe })).toMatch(/LOGIN_FILE: .*\/pipe is not a regular file/);
});

test('a file that is too long for a secret is a problem', () => {
  expect(problemsOf({ KEY_FILE: fileWith('s3cret'.repeat(200_000)) })).toMatch(/has more than 1048576 bytes/);
});

test('a file behind links is read, as Kubernetes mounts them', () => {
  const data = path.join(folder, '..data');
  fileWith('s3cret');
  symlinkSync(folder, data);
  symlinkSync(path.join(data, 'value'), path.join(folder, 'key'));
  expect(loadConfig(settings, { KEY_FILE: path.join(folder, 'key') }).KEY).toBe('s3cret');
});

test.each([
  ['a variable', () => ({ KEY: 's3cret\nmore' }), /KEY: has a line break/],
  ['a variable of a login', () => ({ KEY: 'given', LOGIN: 'postgres://s3cret\nmore' }), /LOGIN: has a line break/],
  ['a file', () => ({ KEY_FILE: fileWith('s3cret\r\nmore\n') }), /KEY_FILE: the file .*\/value: has a line break/],
])('a line break in %s is a problem, and one at the end is not part of the secret', (_, environment, expected) => {
  const problems = problemsOf(environment());
  expect(problems).toMatch(expected);
  expect(problems).not.toContain('s3cret');
  expect(loadConfig(settings, { KEY: 's3cret\n' }).KEY).toBe('s3cret');
});

test('a login may have several lines: the first is the value, and each is checked', () => {
  const file = fileWith('postgres://new\npostgres://old\n');
  expect(loadConfig(settings, { KEY: 'given', LOGIN_FILE: file }).LOGIN).toBe('postgres://new');
  expect(problemsOf({ KEY: 'given', LOGIN_FILE: fileWith('postgres://new\nnats://old') })).toMatch(/LOGIN_FILE \(/);
});

test('logins follow their file, and stay while it is away or empty', () => {
  const file = fileWith('postgres://one\n');
  const logins = loginsOf('postgres://one', file);
  expect(logins()).toEqual(['postgres://one']);
  fileWith('postgres://two\n\n postgres://one \n');
  expect(logins()).toEqual(['postgres://two', 'postgres://one']);
  fileWith('');
  expect(logins()).toEqual(['postgres://two', 'postgres://one']);
  rmSync(file);
  expect(logins()).toEqual(['postgres://two', 'postgres://one']);
  expect(loginsOf('postgres://variable', undefined)()).toEqual(['postgres://variable']);
});

test('a line that is not usable is left out, and the last ones stay when none is', () => {
  const file = fileWith('mistyped\npostgres://one');
  const logins = loginsOf('postgres://first', file, (line) => URL.canParse(line));
  expect(logins()).toEqual(['postgres://one']);
  fileWith('mistyped');
  expect(logins()).toEqual(['postgres://one']);
});
