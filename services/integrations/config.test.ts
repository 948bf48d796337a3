import { expect, it } from 'vitest';
import { loadIntegrationsConfig } from './config.ts';

const given = { NATS_URL: 'nats://localhost', DATABASE_URL: 'postgres://localhost/x' };

it('allows no private address unless told', () => {
  expect(loadIntegrationsConfig(given).INTEGRATIONS_ALLOWED_PRIVATE).toEqual([]);
  const allowed = { ...given, INTEGRATIONS_ALLOWED_PRIVATE: 'hooks.internal, 10.0.0.0/8,' };
  expect(loadIntegrationsConfig(allowed).INTEGRATIONS_ALLOWED_PRIVATE).toEqual(['hooks.internal', '10.0.0.0/8']);
});

it('tells every fault of the list of private addresses', () => {
  const faulty = { ...given, INTEGRATIONS_ALLOWED_PRIVATE: '10.0.0.0/40,http://hooks' };
  expect(() => loadIntegrationsConfig(faulty)).toThrow(/10\.0\.0\.0\/40 is not a CIDR[\s\S]*http:\/\/hooks should be/);
});
