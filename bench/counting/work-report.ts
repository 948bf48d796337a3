import { beside, type Line } from '../measurement.ts';
import type { Bench } from '../row.ts';
import type { StatementWork, TableWork } from './work.repo.ts';
import type { Work } from './work.ts';

/** From the issue: a table with fewer versions than this per change is left out. */
const minVersions = 0.02;

/** Those after these take less than some percent each. */
const shownStatements = 10;

type Figure = { what: string; unit: string; of(work: Work): number | undefined };

const sum = <T>(items: readonly T[], of: (item: T) => number) => items.reduce((total, item) => total + of(item), 0);
const versionsOf = ({ inserted, updated, deleted }: TableWork) => inserted + updated + deleted;

const figures: Figure[] = [
  { what: 'statements', unit: '', of: ({ statements }) => sum(statements, ({ calls }) => calls) },
  { what: 'time of statements', unit: 'ms', of: ({ statements }) => sum(statements, ({ ms }) => ms) },
  { what: 'WAL', unit: 'bytes', of: ({ walBytes }) => walBytes },
  { what: 'WAL records', unit: '', of: ({ walRecords }) => walRecords },
  { what: 'row versions', unit: '', of: ({ tables }) => sum(tables, versionsOf) },
  { what: 'messages to NATS', unit: '', of: ({ messages }) => messages?.received },
  { what: 'messages to NATS, bytes', unit: 'bytes', of: ({ messages }) => messages?.receivedBytes },
  { what: 'messages from NATS', unit: '', of: ({ messages }) => messages?.sent },
  { what: 'messages from NATS, bytes', unit: 'bytes', of: ({ messages }) => messages?.sentBytes },
];

/** Lines without a goal, in units per `each`, such as a change. Empty when nothing was counted. */
export function workLines(row: string, each: string, own: readonly Work[], peer: readonly Work[]): Line[] {
  if (own.length === 0) return [];
  return figures.map(({ what, unit, of }) => {
    const runs = { subject: own.flatMap((work) => of(work) ?? []), baseline: peer.flatMap((work) => of(work) ?? []) };
    return beside(runs, { row, what, unit: `${unit}/${each}` });
  });
}

/** Prints the tables of the last run of each product. */
export function sayWork({ say }: Pick<Bench, 'say'>, products: Record<string, readonly Work[]>): void {
  for (const [product, works] of Object.entries(products)) {
    const last = works.at(-1);
    if (last) say(`\n${workTables(product, last)}\n`);
  }
}

/** The row versions by table and the most expensive statements, in Markdown. */
function workTables(product: string, { tables, statements }: Work): string {
  return [
    `${product}: row versions`,
    '',
    table(
      ['Table', 'Inserted', 'Updated', 'of these HOT', 'Deleted'],
      tables
        .filter((each) => versionsOf(each) > minVersions)
        .toSorted((a, b) => versionsOf(b) - versionsOf(a))
        .map((each) => [each.table, ...[each.inserted, each.updated, each.hot, each.deleted].map((n) => n.toFixed(2))]),
    ),
    '',
    `${product}: statements`,
    '',
    table(
      ['Login', 'Statement', 'Calls', 'Time, us', 'WAL, bytes'],
      statements
        .slice(0, shownStatements)
        .map((each) => [
          ...[each.login, each.text.replaceAll('|', '\\|'), each.calls.toFixed(2)],
          ...[(each.ms * 1_000).toFixed(1), each.walBytes.toFixed(0)],
        ]),
    ),
    '',
    ...['Statements by login', ''],
    table(['Login', 'Calls', 'Time, us', 'WAL, bytes'], byLogin(statements)),
  ].join('\n');
}

function byLogin(statements: readonly StatementWork[]): string[][] {
  return [...Map.groupBy(statements, ({ login }) => login)].map(([login, those]) => [
    ...[login, sum(those, ({ calls }) => calls).toFixed(2)],
    ...[(sum(those, ({ ms }) => ms) * 1_000).toFixed(1), sum(those, ({ walBytes }) => walBytes).toFixed(0)],
  ]);
}

function table(head: readonly string[], rows: readonly string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
