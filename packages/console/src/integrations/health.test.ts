import { maxCounted } from '@yardarm/shared/contracts/integrations';
import { expect, it } from 'vitest';
import { healthOf, type IntegrationState, waitingWords } from './health.ts';

const state: IntegrationState = {
  ...{ integrationId: 1, circuit: 'closed', failures: 0, failingSince: null, pausedUntil: null },
  ...{ waiting: 0, nextAttemptAt: null, lastOutcome: null },
};
const outcome = (outcomeState: 'success' | 'failed' | 'successWithErrors') => ({
  lastOutcome: { id: '1', state: outcomeState, createdAt: '2026-01-31T12:00:00.000Z' },
});

it.each([
  [false, { circuit: 'open', failures: 9 }, 'Off'],
  [true, { circuit: 'open', failures: 9 }, 'Paused'],
  [true, { circuit: 'half-open', failures: 9 }, 'Probing'],
  [true, { failures: 1, ...outcome('failed') }, 'Failing'],
  [true, {}, 'Nothing sent yet'],
  [true, outcome('failed'), 'Last one failed'],
  [true, outcome('successWithErrors'), 'Partly sent'],
  [true, outcome('success'), 'Working'],
] as const)('enabled: %s with %o is called %s', (enabled, over, label) => {
  expect(healthOf({ enabled }, { ...state, ...over }).label).toBe(label);
});

it('a pause says how many attempts have failed', () => {
  expect(healthOf({ enabled: true }, { ...state, circuit: 'open', failures: 9 }).means).toBe(
    'The last 9 attempts failed. Nothing is sent until the pause ends.',
  );
});

it('says how many wait, up to what the API counts', () => {
  expect([0, 1, 2, maxCounted].map((waiting) => waitingWords({ waiting }))).toEqual([
    ...[null, 'One waits', '2 wait', '10,000 or more wait'],
  ]);
});
