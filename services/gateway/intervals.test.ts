import { expect, test } from 'vitest';
import { productionIntervals } from './intervals.ts';

// Tests of a gateway pass shorter ones, so nothing else fails when one of these is changed by mistake.
test.each([
  ['drainNoticeMs', 500],
  ['headTimeoutMs', 2_000],
  ['snapshotPollMs', 1_000],
  ['firstLoadMs', 60_000],
])('in production %s is %i', (name, ms) => {
  expect(productionIntervals).toHaveProperty(name, ms);
  expect(Object.keys(productionIntervals)).toHaveLength(4);
});
