import { accessSync, constants } from 'node:fs';

/**
 * `postgres://user:password@host:port,host:port/database?…`: as libpq has it, several hosts are the servers of one
 * cluster, of which one takes changes. Only these values of `target_session_attrs` name that one.
 */
const pattern = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;
const targets = ['read-write', 'primary'];
const files = ['sslrootcert', 'sslcert', 'sslkey'];

/** One URL for each host, in their order. */
export function urlsOfHosts(url: string): string[] {
  const [, scheme, user, hosts = '', rest] = pattern.exec(url) ?? [];
  return hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`);
}

/** What is wrong with the URL, without any of its values, which may be secrets. Null when nothing is. */
export function databaseUrlProblem(url: string): string | null {
  if (!pattern.test(url)) return 'should be a postgres:// URL';
  if (!urlsOfHosts(url).every((one) => URL.canParse(one))) {
    return 'should be postgres://user:password@host:port/database, or several host:port with commas between';
  }
  const { searchParams } = new URL(urlsOfHosts(url)[0]!);
  const target = searchParams.get('target_session_attrs');
  if (target !== null && !targets.includes(target)) {
    return 'should have no target_session_attrs but read-write or primary: a service always makes changes';
  }
  const missing = files.find((name) => searchParams.has(name) && !isReadable(searchParams.get(name)!));
  return missing === undefined ? null : `should name a file in ${missing} that this process may read`;
}

/** Whether this process may read the file. */
export function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
