import { expect, test } from 'vitest';
import { gaugeLabel, troublesOf } from './status-words.ts';

test('the parts of a process that are not well are named', () => {
  expect(troublesOf({ parts: { bus: null, snapshots: 'not loaded', accounts: { degraded: 'slow' } } })).toEqual([
    'snapshots: not loaded',
    'accounts is degraded: slow',
  ]);
});

test('a gauge has words', () => {
  expect(gaugeLabel({ name: 'yardarm_events_lag', labels: { stream: 'flags' }, value: 1 })).toBe(
    'events lag (stream flags)',
  );
});
