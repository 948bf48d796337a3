import type { AccessRow } from '@yardarm/shared/contracts/accounts';
import { expect, test } from 'vitest';
import { accessOverviewCsv } from './access-overview-csv.ts';

const row: AccessRow = {
  userId: 12,
  accountType: 'User',
  name: 'Ann Bonny',
  username: 'ann',
  email: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  seenAt: null,
  rootRole: 'Editor',
  groups: [],
  projectRoles: [],
};
const head = 'userId,accountType,name,username,email,createdAt,seenAt,rootRole,groups,projectRoles\r\n';

test('has a header line and a line for each row', () => {
  expect(accessOverviewCsv([])).toBe(head);
  const projectRoles = [
    { project: 'default', role: 'Owner', group: null },
    { project: 'other', role: 'Member', group: 'Crew' },
  ];
  expect(accessOverviewCsv([row, { ...row, userId: 13, groups: ['Crew', 'Mates'], projectRoles }])).toBe(
    `${head}12,User,Ann Bonny,ann,,2026-01-31T12:00:00.000Z,,Editor,,\r\n` +
      '13,User,Ann Bonny,ann,,2026-01-31T12:00:00.000Z,,Editor,"Crew, Mates","default: Owner, other: Member (Crew)"\r\n',
  );
});

test.each([
  ['Bonny, Ann', '"Bonny, Ann"'],
  ['Ann "the" Bonny', '"Ann ""the"" Bonny"'],
  ['Ann\r\nBonny', '"Ann\r\nBonny"'],
  ['=HYPERLINK("http://a.example","b")', `"'=HYPERLINK(""http://a.example"",""b"")"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['\r=1', `"'\r'=1"`],
  ["O'Malley = O'Malley", "O'Malley = O'Malley"],
])('the name %j is the cell %j', (name, cell) => {
  expect(accessOverviewCsv([{ ...row, name }])).toContain(`\r\n12,User,${cell},ann,`);
});
