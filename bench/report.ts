import { type Line, verdict } from './measurement.ts';

/** Formats a figure with about three significant digits: 1234, 56.7, 0.89. */
function format(value: number | null): string {
  if (value === null) return '';
  if (value >= 1000) return String(Math.round(value));
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

const head = ['row', 'what', 'figure', 'baseline', 'ratio', 'goal', 'verdict', 'unit'];

export function tableOf(lines: readonly Line[]): string {
  const rows = lines.map((line) => [
    ...[line.row, line.what, format(line.figure), format(line.baseline), format(line.ratio)],
    ...[line.goal, verdict(line), line.unit],
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const isNumber = (column: number) => column >= 2 && column <= 4;
  const cells = (row: readonly string[]) =>
    row
      .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd();
  const indent = ' '.repeat(widths[0]! + 2);
  return [
    cells(head),
    cells(widths.map((width) => '-'.repeat(width))),
    ...lines.flatMap((line, n) => [cells(rows[n]!), ...(line.remark === '' ? [] : [`${indent}(${line.remark})`])]),
  ].join('\n');
}
