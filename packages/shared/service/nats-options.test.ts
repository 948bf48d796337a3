import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeAuthority } from '@yardarm/testing/certificates';
import { afterAll, expect, test } from 'vitest';
import { commonSettings, databaseSettings, loadConfig, type Settings } from '../config/index.ts';
import { createLogger } from '../log/index.ts';
import { busProblem, type NatsConfig, natsOptions } from './nats-options.ts';

const { NATS_CA_FILE } = commonSettings;
const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-options-'));
const authority = makeAuthority(folder);
const [one, other] = [authority.issue('one', ['DNS:one']), authority.issue('other', ['DNS:other'])];
const log = createLogger({ service: 'test', level: 'silent' });
const optionsOf = (config: Partial<NatsConfig>) =>
  natsOptions({ NATS_URL: 'nats://unused', YARDARM_PREFIX: '', ...config }, 'flags', log);

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  [true, null, null],
  [true, 'The user may not subscribe.', 'The user may not subscribe.'],
  [false, null, 'not connected to NATS'],
  [false, 'connection refused', 'not connected to NATS: connection refused'],
])('a bus that is connected (%j) with the problem %j has the problem %j for /ready', (connected, problem, expected) => {
  expect(busProblem({ state: () => ({ connected, problem, serverVersion: null }) })).toBe(expected);
});

test('certificates, copies and tags are those of the settings', () => {
  const { tls, shape } = optionsOf({
    ...{ NATS_CA_FILE: authority.caFile, NATS_CERT_FILE: one.certFile, NATS_KEY_FILE: one.keyFile },
    ...{ NATS_STREAM_REPLICAS: 3, NATS_STREAM_PLACEMENT_TAGS: ['zone:a'] },
  });
  expect(tls).toEqual({ ca: authority.caFile, cert: one.certFile, key: one.keyFile });
  expect(shape).toEqual({ replicas: 3, placementTags: ['zone:a'] });
  expect(optionsOf({}).shape).toEqual({ replicas: undefined, placementTags: undefined });
});

test('certificates that cannot be used are a sentence that names the settings', () => {
  const expected = (text: string) =>
    expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(text) });
  expect(() => optionsOf({ NATS_CERT_FILE: one.certFile })).toThrow(
    expected('NATS_CERT_FILE and NATS_KEY_FILE belong'),
  );
  expect(() => optionsOf({ NATS_CERT_FILE: one.certFile, NATS_KEY_FILE: other.keyFile })).toThrow(
    expected('NATS_CERT_FILE and NATS_KEY_FILE: cannot be used as PEM'),
  );
  const noPem = path.join(folder, 'no.pem');
  writeFileSync(noPem, 'no certificate');
  expect(() => optionsOf({ NATS_CERT_FILE: noPem, NATS_KEY_FILE: one.keyFile })).toThrow(
    expected('cannot be used as PEM'),
  );
});

test.each([
  ['no certificate', 'no certificate', 'has no certificate in PEM'],
  ['a key and no certificate', one.keyFile, 'has no certificate in PEM'],
  ['a damaged certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'cannot be read as PEM'],
])('authorities in a file with %s are refused when the settings are read', (_, text, expected) => {
  const file = path.join(folder, 'authorities.pem');
  writeFileSync(file, text.startsWith('/') ? readFileSync(text) : text);
  const read = (settings: Settings, environment: Record<string, string>) => () => loadConfig(settings, environment);
  expect(read({ NATS_CA_FILE }, { NATS_CA_FILE: file })).toThrow(expected);
  expect(read({ NATS_CA_FILE }, { NATS_CA_FILE: authority.caFile })).not.toThrow();
  const url = `postgres://a:b@c/d?sslrootcert=${file}`;
  expect(read({ DATABASE_URL: databaseSettings.DATABASE_URL }, { DATABASE_URL: url })).toThrow(expected);
});
