import { readFileSync } from 'node:fs';

export type Kind =
  | 'unauthenticated'
  | 'client'
  | 'frontend'
  | 'signal'
  | 'misplaced session'
  | 'admin token'
  | 'person'
  | 'service account';

export type RoleLetter = 'E' | 'V' | 'O' | 'M';

export interface GoldenRow {
  method: string;
  path: string;
  audience: 'public' | 'client' | 'frontend' | 'evaluation' | 'signal' | 'admin';
  /** One of these is required; empty when none is. */
  permissions: string[];
  /** The environment in which the permission is required; null unless it is per environment. */
  environment: string | null;
  /** Whether the permission in another project is enough, because the body names the project. */
  isAnywhere: boolean;
  grantedBy: RoleLetter[];
  expectedStatus: number;
  /** Other statuses for some kinds of allowed callers. */
  exceptions: Partial<Record<Kind, number>>;
  body: unknown;
  query: string;
  project: string;
}

/**
 * The admin routes for a person who must choose a password first: read the own user, choose a password and log out.
 * Other admin routes answer 403.
 */
export const allowedBeforePasswordChange: readonly string[] = [
  'GET /api/admin/user',
  'POST /api/admin/user/change-password',
  'POST /api/admin/user-admin/validate-password',
  'GET /logout',
  'POST /logout',
];

export const golden: readonly GoldenRow[] = readFileSync(new URL('golden.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map(parseRow);

function parseRow(line: string): GoldenRow {
  const [route = '', audience = '', permission = '', grantedBy = '', expectedStatus = '', request = ''] = line
    .split('|')
    .map((cell) => cell.trim());
  const [method = '', path = ''] = route.split(/\s+/);
  const [named = '', environment = null] = permission.split(/\s*@\s*/);
  const names = named.replace(/ anywhere$/, '');
  const [status = '', ...others] = expectedStatus.split(/\s*;\s*/);
  return {
    method,
    path,
    audience: audience as GoldenRow['audience'],
    permissions: names === '' || names === 'anybody' ? [] : names.split(' or '),
    environment,
    isAnywhere: named !== names,
    grantedBy: grantedBy.split(/\s+/) as RoleLetter[],
    expectedStatus: Number(status),
    exceptions: Object.fromEntries(
      others.map((other) => {
        const [, kind = '', otherStatus] = /^(.+) (\d+)$/.exec(other) ?? [];
        return [kind, Number(otherStatus)];
      }),
    ),
    body: /^[{[]/.test(request) ? JSON.parse(request) : undefined,
    query: request.startsWith('?') ? request : '',
    project: /^in (\S+)$/.exec(request)?.[1] ?? 'default',
  };
}
