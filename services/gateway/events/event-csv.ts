import type { Event } from '@yardarm/shared/contracts/events';
import { csvLine } from '../http/csv.ts';

const columns = [
  ...(['id', 'createdAt', 'type', 'createdBy', 'createdByUserId', 'environment', 'project', 'featureName'] as const),
  ...(['data', 'preData', 'tags'] as const),
] satisfies (keyof Event)[];

/** The line that names the columns. */
export const eventCsvHead = csvLine(columns);

/** An event as a line of CSV: absent values empty, what is no text or number as JSON. */
export function eventCsvLine(event: Event): string {
  return csvLine(
    columns.map((column) => {
      const value = event[column];
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    }),
  );
}
