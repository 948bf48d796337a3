import { type Line, verdict } from './measurement.ts';

/** Formats a figure with about three significant digits: 1234, 56.7, 0.89. */
function format(value: number | null): string {
  if (value === null) return '';
  if (value >= 1000) return String(Math.round(value));
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

const head = ['Row', 'What', 'Goal', 'Figure', 'Baseline', 'Ratio', 'Verdict', 'Measured'];

/** A table in Markdown, for the terminal and for docs/benchmarks.md, and below it the remarks of its lines. */
export function tableOf(lines: readonly Line[], measured: string): string {
  const rows = lines.map((line) => {
    const figure = [format(line.figure), line.unit].join(' ').trim();
    const compared = [format(line.baseline), format(line.ratio)];
    return [line.row, line.what, line.goal, figure, ...compared, verdict(line), measured];
  });
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const cells = (row: readonly string[]) => `| ${row.map((cell, n) => cell.padEnd(widths[n]!)).join(' | ')} |`;
  const remarks = lines
    .filter(({ remark }) => remark !== '')
    .map(({ row, what, remark }) => `- ${row}, ${what}: ${remark}`);
  return [cells(head), cells(widths.map((width) => '-'.repeat(width))), ...rows.map(cells), '', ...remarks].join('\n');
}
