import type { AccessRow } from '@yardarm/shared/contracts/accounts';

const columns: [string, (row: AccessRow) => string][] = [
  ['userId', (row) => String(row.userId)],
  ['accountType', (row) => row.accountType],
  ['name', (row) => row.name ?? ''],
  ['username', (row) => row.username ?? ''],
  ['email', (row) => row.email ?? ''],
  ['createdAt', (row) => row.createdAt],
  ['seenAt', (row) => row.seenAt ?? ''],
  ['rootRole', (row) => row.rootRole],
  ['groups', (row) => row.groups.join(', ')],
  ['projectRoles', (row) => row.projectRoles.map(inWords).join(', ')],
];

/** The overview of all access as RFC 4180 has it, with a line of names first. */
export function accessOverviewCsv(rows: readonly AccessRow[]): string {
  const lines = [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, textOf]) => cell(textOf(row))))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

function inWords({ project, role, group }: AccessRow['projectRoles'][number]): string {
  return group === null ? `${project}: ${role}` : `${project}: ${role} (${group})`;
}

/** People choose their names, and a spreadsheet runs what begins like a formula: an apostrophe makes it text. */
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
