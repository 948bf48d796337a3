import type { Event } from '@yardarm/shared/contracts/events';
import { csvLine } from '../../routing/csv.ts';

const columns = [
  ...(['id', 'createdAt', 'type', 'createdBy', 'createdByUserId', 'environment', 'project', 'featureName'] as const),
  ...(['data', 'preData', 'tags'] as const),
] satisfies (keyof Event)[];

export const eventCsvHead = csvLine(columns);

/** Null is an empty cell, and an object or array is JSON. */
export function eventCsvLine(event: Event): string {
  return csvLine(
    columns.map((column) => {
      const value = event[column];
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    }),
  );
}
