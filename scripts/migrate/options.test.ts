// Proves how the arguments and settings of `npm run migrate` are read. packages/shared/db/migrate has the tests of its
// effect.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '@yardarm/shared/config';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../command.ts';
import { readOptions, schemas } from './options.ts';

const DATABASE_URL = 'postgres://owner:o@127.0.0.1/yardarm';
const login = (schema: string) => `postgres://yardarm_${schema}:s3cret@127.0.0.1/yardarm`;
const all = Object.fromEntries(schemas.map((schema) => [`${schema.toUpperCase()}_DATABASE_URL`, login(schema)]));

test('without an argument all services are migrated, and each needs its login', () => {
  const options = readOptions([], { DATABASE_URL, ...all });
  expect(options).toMatchObject({ what: 'all', databaseUrl: DATABASE_URL, takesOver: false });
  expect(options).toMatchObject({ services: schemas.map((schema) => ({ schema, loginUrl: login(schema) })) });
  const { FLAGS_DATABASE_URL: _, ...others } = all;
  expect(() => readOptions([], { ...others })).toThrow(
    /2 problem[\s\S]*DATABASE_URL: is required[\s\S]*FLAGS_DATABASE_URL: is required/,
  );
});

test('provisioning is of the services whose logins are given', () => {
  const FLAGS_OWNER_DATABASE_URL = 'postgres://yardarm_flags_owner:x@127.0.0.1/yardarm';
  const settings = { DATABASE_URL, FLAGS_DATABASE_URL: login('flags'), SIGNALS_DATABASE_URL: login('signals') };
  expect(readOptions(['provision'], { ...settings, FLAGS_OWNER_DATABASE_URL })).toMatchObject({
    what: 'provision',
    services: [
      { schema: 'flags', loginUrl: login('flags'), ownerUrl: FLAGS_OWNER_DATABASE_URL },
      { schema: 'signals', loginUrl: login('signals') },
    ],
  });
  expect(() => readOptions(['provision'], { DATABASE_URL })).toThrow(UsageError);
});

function inFile(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-migrate-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'url');
  writeFileSync(file, text);
  return file;
}

test('the settings of a provisioning may be in files', () => {
  const files = { DATABASE_URL_FILE: inFile(DATABASE_URL), FLAGS_DATABASE_URL_FILE: inFile(login('flags')) };
  expect(readOptions(['provision'], files)).toMatchObject({
    databaseUrl: DATABASE_URL,
    services: [{ schema: 'flags', loginUrl: login('flags') }],
  });
});

test('one service is migrated with the login of its owner alone', () => {
  const file = inFile('postgres://yardarm_flags_owner:new@h/d\npostgres://yardarm_flags_owner:old@h/d\n');
  expect(readOptions(['flags'], { FLAGS_OWNER_DATABASE_URL_FILE: file })).toEqual({
    ...{ what: 'one', schema: 'flags', ownerUrl: 'postgres://yardarm_flags_owner:new@h/d', logLevel: 'info' },
  });
  expect(() => readOptions(['flags'], { DATABASE_URL, ...all })).toThrow(ConfigError);
  expect(() => readOptions(['flags'], { DATABASE_URL, ...all })).toThrow('FLAGS_OWNER_DATABASE_URL: is required');
});

test('a login in another database is refused, because its service would wait for a schema that is made elsewhere', () => {
  const elsewhere = { ...all, FLAGS_DATABASE_URL: login('flags').replace(/\/[^/]*$/, '/another') };
  const reading = () => readOptions([], { DATABASE_URL, ...elsewhere });
  expect(reading).toThrow('FLAGS_DATABASE_URL: should name the database of DATABASE_URL');
  expect(reading).toThrow(ConfigError);
});

test('a URL of another kind is refused without its password', () => {
  const reading = () => readOptions(['flags'], { FLAGS_OWNER_DATABASE_URL: 'nats://x:s3cret@h' });
  expect(reading).toThrow('FLAGS_OWNER_DATABASE_URL: should be postgres://');
  expect(reading).not.toThrow('s3cret');
});

test.each([[['payments']], [['gateway']], [['flags', 'events']], [['Provision']]])('%j is refused', (words) => {
  expect(() => readOptions(words, { DATABASE_URL, ...all })).toThrow(UsageError);
});
