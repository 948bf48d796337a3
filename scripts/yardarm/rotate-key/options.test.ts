// Proves where rotate-key finds the keys of the installation that `npm start` runs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { accountsOptions, integrationsOptions } from './options.ts';

const keyOf = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const url = 'postgres://a:b@127.0.0.1:1/c';
const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-rotate-'));
writeFileSync(path.join(folder, 'database-logins.json'), JSON.stringify({ integrations: url, accounts: url }));
writeFileSync(
  path.join(folder, 'credentials.json'),
  JSON.stringify({ integrationsEncryptionKey: keyOf(1), accountsEncryptionKey: keyOf(2) }),
);
const started = { YARDARM_DATA_DIR: folder };
const bytes = (fill: number) => Buffer.alloc(32, fill);

afterAll(() => rmSync(folder, { recursive: true }));

test('without a key it is the generated one', () => {
  expect(integrationsOptions(started)).toMatchObject({
    ...{ INTEGRATIONS_ENCRYPTION_KEY: bytes(1), INTEGRATIONS_ENCRYPTION_OTHER_KEYS: [] },
    DATABASE_URL: url,
  });
  expect(accountsOptions(started)).toMatchObject({ ACCOUNTS_ENCRYPTION_KEY: bytes(2) });
});

test('beside a new key the generated one is the key before, unless that is given', () => {
  const environment = { ...started, INTEGRATIONS_ENCRYPTION_KEY: keyOf(3) };
  expect(integrationsOptions(environment)).toMatchObject({
    ...{ INTEGRATIONS_ENCRYPTION_KEY: bytes(3), INTEGRATIONS_ENCRYPTION_OTHER_KEYS: [bytes(1)] },
  });
  expect(integrationsOptions({ ...environment, INTEGRATIONS_ENCRYPTION_OTHER_KEYS: keyOf(4) })).toMatchObject({
    INTEGRATIONS_ENCRYPTION_OTHER_KEYS: [bytes(4)],
  });
});

test('another database needs its own key', () => {
  expect(() => integrationsOptions({ ...started, DATABASE_URL: url })).toThrow(
    'INTEGRATIONS_ENCRYPTION_KEY: is required',
  );
});
