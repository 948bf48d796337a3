// Proves what `yardarm status` prints for an answer, and when it reports a system as not healthy.
import { expect, test } from 'vitest';
import { isHealthy, type Replica, type Status, statusText } from './status.ts';

const replica = (changes: Partial<Replica> = {}): Replica => ({
  ...{ instance: 'flags-1a2b', version: '0.1.0', startedAt: '2026-11-26T08:00:00.000Z', isReady: true },
  ...{ parts: { database: null, bus: null }, gauges: [], ...changes },
});
const status = (...replicas: Replica[]): Status => ({
  services: [{ name: 'flags', isAway: replicas.length === 0, replicas }],
});

test('a replica is a line, with its problems and its waiting work below', () => {
  const parts = { database: 'Postgres does not answer', bus: null, signals: { degraded: 'is away' } };
  const gauges: Replica['gauges'] = [
    { name: 'yardarm_outbox_rows', labels: { service: 'flags', state: 'pending' }, value: 7 },
    { name: 'yardarm_flags_idle', labels: {}, value: 0 },
  ];
  expect(statusText(status(replica(), replica({ instance: 'flags-3c4d', isReady: false, parts, gauges })))).toBe(
    [
      'flags  ready  0.1.0  since 2026-11-26T08:00:00.000Z  flags-1a2b',
      'flags  not ready  0.1.0  since 2026-11-26T08:00:00.000Z  flags-3c4d',
      '         database: Postgres does not answer',
      '         signals: degraded: is away',
      '         yardarm_outbox_rows{service="flags",state="pending"} 7',
    ].join('\n'),
  );
});

test('control characters of a service are escaped, so that it can write no line and no colour of its own', () => {
  const parts = { database: 'away\nflags  ready\u001b[2J', bus: { degraded: '\u009b31m\u202e' } };
  expect(statusText(status(replica({ parts })))).toBe(
    [
      'flags  ready  0.1.0  since 2026-11-26T08:00:00.000Z  flags-1a2b',
      '         database: away\\u000aflags  ready\\u001b[2J',
      '         bus: degraded: \\u009b31m\\u202e',
    ].join('\n'),
  );
});

test('a service without a replica is away', () => {
  expect(statusText(status())).toBe('flags  away');
});

test('a system is healthy when each service has replicas that are all ready', () => {
  expect(isHealthy(status(replica(), replica()))).toBe(true);
  expect(isHealthy(status(replica(), replica({ isReady: false })))).toBe(false);
  expect(isHealthy(status())).toBe(false);
});
