import { expect, it } from 'vitest';
import { leadTime } from './lead-time.ts';

const flag = (name: string, day: number) => ({ name, createdAt: `2026-01-${day}T12:00:00.000Z` });
const on = (featureName: string, time: string) => ({ featureName, createdAt: `2026-01-${time}:00.000Z` });

it('the lead time has whole days of the flags that were switched on, and their average', () => {
  const flags = [flag('early', 10), flag('late', 10), flag('never', 10), flag('soon', 20)];
  const switches = [on('early', '12T11:59'), on('late', '25T12:00'), on('soon', '20T11:59'), on('unknown', '30T00:00')];
  expect(leadTime(flags, switches)).toEqual({
    features: [
      { name: 'early', timeToProduction: 1 },
      { name: 'late', timeToProduction: 15 },
      { name: 'soon', timeToProduction: 0 },
    ],
    projectAverage: 5.3,
  });
});

it('a project without switches has an average of 0', () => {
  expect(leadTime([flag('never', 10)], [])).toEqual({ features: [], projectAverage: 0 });
});
