import type { AccessRow } from '@yardarm/shared/contracts/accounts';
import { csvLine } from '../routing/csv.ts';

const columns: [string, (row: AccessRow) => string | number | null][] = [
  ['userId', (row) => row.userId],
  ['accountType', (row) => row.accountType],
  ['name', (row) => row.name],
  ['username', (row) => row.username],
  ['email', (row) => row.email],
  ['createdAt', (row) => row.createdAt],
  ['seenAt', (row) => row.seenAt],
  ['rootRole', (row) => row.rootRole],
  ['groups', (row) => row.groups.join(', ')],
  ['projectRoles', (row) => row.projectRoles.map(formatProjectRole).join(', ')],
];

export function accessOverviewCsv(rows: readonly AccessRow[]): string {
  const lines = [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, cellOf]) => cellOf(row)))];
  return lines.map(csvLine).join('');
}

function formatProjectRole({ project, role, group }: AccessRow['projectRoles'][number]): string {
  return group === null ? `${project}: ${role}` : `${project}: ${role} (${group})`;
}
