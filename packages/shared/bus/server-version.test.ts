import { expect, test } from 'vitest';
import { parseUrl } from './dial.ts';
import { isAtLeast, requireReplication, serverWarnings } from './server-version.ts';

test('versions are compared by number, and an unreadable one counts as new', () => {
  expect(isAtLeast('2.9.10', '2.9.9')).toBe(true);
  expect(isAtLeast('2.9.10', '2.10.0')).toBe(false);
  expect(isAtLeast('2.12.0-beta.1', '2.10.0')).toBe(true);
  expect(isAtLeast('dev', '2.10.0')).toBe(true);
});

test('a server is warned of for each missing feature and known defect', () => {
  const whole = { version: '2.12.3', jetstream: true, headers: true };
  expect(serverWarnings(whole)).toEqual([]);
  expect(serverWarnings({ ...whole, version: '2.9.10' })).toEqual([expect.stringContaining('sync_interval')]);
  expect(serverWarnings({ ...whole, version: '2.10.21' })).toEqual([expect.stringContaining('2.10.23')]);
  expect(serverWarnings({ ...whole, jetstream: false })).toEqual([expect.stringContaining('JetStream')]);
});

test('replicated streams need a server that does not lose their messages', () => {
  const whole = { version: '2.12.2', jetstream: true, headers: true };
  expect(serverWarnings(whole, 3)).toEqual([expect.stringContaining('2.12.3')]);
  expect(serverWarnings(whole, 1)).toEqual([]);
  expect(() => requireReplication('2.12.2', 3)).toThrow(
    expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining('NATS_STREAM_REPLICAS is 3') }),
  );
  expect(() => requireReplication('2.12.3', 5)).not.toThrow();
  expect(() => requireReplication('2.9.10', 1)).not.toThrow();
  expect(() => requireReplication('2.9.10')).not.toThrow();
});

test('a URL names several servers and their credentials', () => {
  expect(parseUrl('nats://a:4223, b')).toEqual({ servers: ['a:4223', 'b:4222'] });
  expect(parseUrl('nats://me:p%40ss@[::1]:4223')).toEqual({ servers: ['[::1]:4223'], user: 'me', pass: 'p@ss' });
  expect(parseUrl('nats://s3cret@a')).toEqual({ servers: ['a:4222'], token: 's3cret' });
  expect(parseUrl('tls://a')).toEqual({ servers: ['a:4222'], tls: {} });
  expect(() => parseUrl('')).toThrow('nats://host:port');
  expect(() => parseUrl('nats://a:port')).toThrow('nats://host:port');
});
