import { readFileSync } from 'node:fs';

/** Who a request can come from, as far as doors tell them apart. */
export type Kind =
  | 'nobody'
  | 'client'
  | 'frontend'
  | 'signal'
  | 'misplaced session'
  | 'admin token'
  | 'person'
  | 'service account';

/** A predefined role besides Admin. */
export type RoleLetter = 'E' | 'V' | 'O' | 'M';

/** One line of golden.txt. */
export interface GoldenRow {
  method: string;
  path: string;
  audience: 'public' | 'client' | 'frontend' | 'signal' | 'admin';
  /** One of these is needed; none where anybody may. */
  permissions: string[];
  /** Where the permission is per environment: the one that is asked for. */
  environment: string | null;
  grantedBy: RoleLetter[];
  expectedStatus: number;
  /** Other statuses for some of those who are let in. */
  exceptions: Partial<Record<Kind, number>>;
  body: unknown;
  query: string;
}

/**
 * What somebody can do who has logged in and must choose a password first: see who they are, choose one, and leave. Elsewhere on the
 * admin door they get a 403.
 */
export const openBeforePasswordChange: readonly string[] = [
  'GET /api/admin/user',
  'POST /api/admin/user/change-password',
  'POST /api/admin/user-admin/validate-password',
  'GET /logout',
  'POST /logout',
];

/** The rows of golden.txt, in its order. */
export const golden: readonly GoldenRow[] = readFileSync(new URL('golden.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map(parseRow);

function parseRow(line: string): GoldenRow {
  const [route = '', audience = '', permission = '', grantedBy = '', expectedStatus = '', sent = ''] = line
    .split('|')
    .map((cell) => cell.trim());
  const [method = '', path = ''] = route.split(/\s+/);
  const [names = '', environment = null] = permission.split(/\s*@\s*/);
  const [status = '', ...others] = expectedStatus.split(/\s*;\s*/);
  return {
    method,
    path,
    audience: audience as GoldenRow['audience'],
    permissions: names === '' || names === 'anybody' ? [] : names.split(' or '),
    environment,
    grantedBy: grantedBy.split(/\s+/) as RoleLetter[],
    expectedStatus: Number(status),
    exceptions: Object.fromEntries(
      others.map((other) => {
        const [, kind = '', otherStatus] = /^(.+) (\d+)$/.exec(other) ?? [];
        return [kind, Number(otherStatus)];
      }),
    ),
    body: sent === '' || sent.startsWith('?') ? undefined : JSON.parse(sent),
    query: sent.startsWith('?') ? sent : '',
  };
}
