import { textsOf } from '../../app/texts-of.ts';

/** The times that can be chosen, in hours. */
export const periods: [hours: number, label: string][] = [
  [24, 'Last day, by the hour'],
  [48, 'Last two days, by the hour'],
  [168, 'Last week, by the day'],
  [720, 'Last 30 days, by the day'],
];

/** What usage is narrowed to, as the address of the page has it. */
export interface UsageSearch {
  hours?: number;
  application?: string;
}

export function parseUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { hours, application } = textsOf(search, ['hours', 'application']);
  const period = periods.find(([known]) => `${known}` === hours);
  return {
    ...(period !== undefined && { hours: period[0] }),
    ...(application !== undefined && { application }),
  };
}
