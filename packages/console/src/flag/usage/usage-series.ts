import type { Schemas } from '../../api/client.ts';
import { countOf } from '../../ui/counts.ts';

type Row = Schemas['getRawFeatureMetricsResponseSchema']['data'][number];

/** How often a flag was on and off in an hour or a day. */
export interface UsagePoint {
  /** The beginning, in milliseconds. */
  at: number;
  yes: number;
  no: number;
}

const hourMs = 3_600_000;

/** Up to this many hours the API counts by the hour, else by the day in UTC. */
const maxHours = 48;

export const isByDay = (hours: number) => hours > maxHours;

/** Each hour or day of a time up to now, with the counts of all rows together. One without a row has zeros. */
export function usageSeries(rows: readonly Row[], hours: number, now: number): UsagePoint[] {
  const stepMs = isByDay(hours) ? 24 * hourMs : hourMs;
  const beginOf = (time: number) => Math.floor(time / stepMs) * stepMs;
  const times = rows.map(({ timestamp }) => beginOf(Date.parse(timestamp)));
  const first = Math.min(beginOf(now - hours * hourMs) + stepMs, ...times);
  const last = Math.max(beginOf(now), ...times);
  const points = Array.from({ length: (last - first) / stepMs + 1 }, (_, index) => ({
    ...{ at: first + index * stepMs, yes: 0, no: 0 },
  }));
  for (const [index, { yes, no }] of rows.entries()) {
    const point = points[(times[index]! - first) / stepMs]!;
    point.yes += yes;
    point.no += no;
  }
  return points;
}

/** As in `1,204 times on and 30 times off. Most in the hour of 26 Nov, 12:00, with 140.` */
export function usageInWords(points: readonly UsagePoint[], format: (at: number) => string, unit: string): string {
  const sum = (name: 'yes' | 'no') => points.reduce((total, point) => total + point[name], 0);
  const [yes, no] = [sum('yes'), sum('no')];
  if (yes + no === 0) return 'No SDK has evaluated it in this time.';
  const most = points.reduce((found, point) => (point.yes + point.no > found.yes + found.no ? point : found));
  const count = (most.yes + most.no).toLocaleString('en');
  return `${countOf(yes, 'time')} on and ${countOf(no, 'time')} off. Most in the ${unit} of ${format(most.at)}, with ${count}.`;
}
