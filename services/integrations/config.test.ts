import { expect, it } from 'vitest';
import { loadIntegrationsConfig } from './config.ts';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const given = {
  NATS_URL: 'nats://localhost',
  DATABASE_URL: 'postgres://localhost/x',
  INTEGRATIONS_ENCRYPTION_KEY: key(1),
};

it('allows no private address by default', () => {
  expect(loadIntegrationsConfig(given).INTEGRATIONS_ALLOWED_PRIVATE).toEqual([]);
  const allowed = { ...given, INTEGRATIONS_ALLOWED_PRIVATE: 'hooks.internal, 10.0.0.0/8,' };
  expect(loadIntegrationsConfig(allowed).INTEGRATIONS_ALLOWED_PRIVATE).toEqual(['hooks.internal', '10.0.0.0/8']);
});

it('reports every problem of the list of private addresses', () => {
  const invalid = { ...given, INTEGRATIONS_ALLOWED_PRIVATE: '10.0.0.0/40,http://hooks' };
  expect(() => loadIntegrationsConfig(invalid)).toThrow(
    /10\.0\.0\.0\/40 is not a CIDR[\s\S]*http:\/\/hooks should be a host name/,
  );
});

it('requires a key, describes it, and repeats no faulty one', () => {
  const { INTEGRATIONS_ENCRYPTION_KEY, ...without } = given;
  expect(() => loadIntegrationsConfig(without)).toThrow('INTEGRATIONS_ENCRYPTION_KEY: is required');
  const invalid = {
    ...given,
    INTEGRATIONS_ENCRYPTION_KEY: 'a-short-secret',
    INTEGRATIONS_ENCRYPTION_OTHER_KEYS: 'another',
  };
  const refusal = (() => {
    try {
      return loadIntegrationsConfig(invalid);
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(refusal).toMatch(/_KEY: should be 32 bytes in base64[\s\S]*_OTHER_KEYS: should be 32 bytes in base64/);
  expect(refusal).not.toMatch(/a-short-secret|another/);
});

it('accepts other keys', () => {
  const { INTEGRATIONS_ENCRYPTION_OTHER_KEYS } = loadIntegrationsConfig({
    ...given,
    INTEGRATIONS_ENCRYPTION_OTHER_KEYS: `${key(2)}, ${key(3)}`,
  });
  expect(INTEGRATIONS_ENCRYPTION_OTHER_KEYS).toEqual([Buffer.alloc(32, 2), Buffer.alloc(32, 3)]);
});

it('accepts proxies by lower-case and upper-case names', () => {
  const upper = loadIntegrationsConfig({ ...given, HTTPS_PROXY: 'http://proxy:3128/', NO_PROXY: 'a.example, .b' });
  expect(upper).toMatchObject({ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: ['a.example', '.b'] });
  expect(upper.HTTP_PROXY).toBeUndefined();
  const lower = loadIntegrationsConfig({ ...given, http_proxy: 'http://lower', HTTP_PROXY: 'http://upper' });
  expect(lower.HTTP_PROXY).toBe('http://lower');
  expect(() => loadIntegrationsConfig({ ...given, HTTP_PROXY: 'proxy:3128' })).toThrow(
    'HTTP_PROXY: should be an http://',
  );
});
