import { certificatesProblem } from './certificates.ts';
import { settingFileProblem } from './setting-file.ts';

/**
 * `postgres://user:password@host:port,host:port/database?…`: as libpq has it, several hosts are the servers of one
 * cluster, of which one takes changes. Only these values of `target_session_attrs` name that one.
 */
const pattern = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;
const targets = ['read-write', 'primary'];
const files = { sslrootcert: certificatesProblem, sslcert: settingFileProblem, sslkey: settingFileProblem };

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
  for (const [name, problemOf] of Object.entries(files)) {
    const file = searchParams.get(name);
    const problem = file === null ? null : problemOf(file);
    if (problem !== null) return `names in ${name} a file that ${problem}`;
  }
  return null;
}
