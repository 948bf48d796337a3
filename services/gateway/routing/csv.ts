/** A line of CSV (RFC 4180). Null is an empty cell. A text cannot be a formula of a spreadsheet. */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/**
 * A spreadsheet runs a text with such a beginning, and users choose their names. An apostrophe makes it plain text.
 * Where lists are written with semicolons, a spreadsheet divides lines there, and also at line breaks of a quoted cell.
 */
const formula = /^(?=[=+\-@\t\r\n])|(?<=[;\t\r\n])(?=[=+\-@])/g;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = value.replace(formula, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
