import { expect, test } from 'vitest';
import { parseUrl } from './connection.ts';
import { isAtLeast, serverWarnings } from './server-version.ts';

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

test('a URL names several servers and their credentials', () => {
  expect(parseUrl('nats://a:4223, b')).toEqual({ servers: ['a:4223', 'b:4222'] });
  expect(parseUrl('nats://me:p%40ss@[::1]:4223')).toEqual({ servers: ['[::1]:4223'], user: 'me', pass: 'p@ss' });
  expect(parseUrl('nats://s3cret@a')).toEqual({ servers: ['a:4222'], token: 's3cret' });
  expect(parseUrl('tls://a')).toEqual({ servers: ['a:4222'], tls: {} });
  expect(() => parseUrl('')).toThrow('empty');
  expect(() => parseUrl('nats://a:port')).toThrow('nats://host:port');
});
