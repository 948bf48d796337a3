/** A line of CSV (RFC 4180): null is empty, a number stands as it is, and a text is nothing but a text to a spreadsheet. */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/** What a spreadsheet runs when a text begins with it; people choose their names, and an apostrophe makes it a text again. */
const formula = /^[=+\-@\t\r]/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
