import { expect, test } from 'vitest';
import type { FlagOfList } from '../flags/flag-row.tsx';
import { lastSeenOf, ofStage } from './stages.ts';

const flag = (name: string, stage: 'live' | 'initial', ...seen: (string | null)[]) => ({
  name,
  lifecycle: { stage, enteredStageAt: '2026-01-01T00:00:00.000Z' },
  environments: seen.map((lastSeenAt) => ({ lastSeenAt })) as FlagOfList['environments'],
});

test('a flag was last seen at the latest time of its environments', () => {
  expect(lastSeenOf(flag('a', 'live', '2026-01-02T00:00:00.000Z', null, '2026-01-03T00:00:00.000Z'))).toBe(
    '2026-01-03T00:00:00.000Z',
  );
  expect(lastSeenOf(flag('a', 'live', null))).toBeNull();
});

test('the flags of a stage begin with those that nobody asked for the longest', () => {
  const flags = [
    flag('recent', 'live', '2026-02-01T00:00:00.000Z'),
    flag('old', 'live', '2026-01-01T00:00:00.000Z'),
    flag('never', 'live', null),
    flag('other', 'initial', null),
  ];
  expect(ofStage(flags, 'live').map(({ name }) => name)).toEqual(['never', 'old', 'recent']);
});
