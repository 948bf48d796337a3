import type { Event } from '@yardarm/shared/contracts/events';

const columns = [
  ...(['id', 'createdAt', 'type', 'createdBy', 'createdByUserId', 'environment', 'project', 'featureName'] as const),
  ...(['data', 'preData', 'tags'] as const),
] satisfies (keyof Event)[];

/** The line that names the columns (RFC 4180). */
export const csvHead = `${columns.join()}\r\n`;

/** An event as a line of CSV: absent values empty, what is no text or number as JSON. */
export function csvLine(event: Event): string {
  return `${columns.map((column) => cell(event[column])).join()}\r\n`;
}

/** What a spreadsheet takes for a formula when a text begins with it; an apostrophe before it makes it a text again. */
const formula = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
