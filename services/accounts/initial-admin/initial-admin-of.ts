import type { AccountsConfig } from '../config.ts';
import type { InitialAdmin } from './make-initial-admin.ts';
import { generatePassword, reportPassword } from './report-password.ts';

/** The first admin by the settings. A password is generated once per process, so that every retry reports the same. */
export function initialAdminOf(
  config: Pick<
    AccountsConfig,
    'UNLEASH_DEFAULT_ADMIN_USERNAME' | 'UNLEASH_DEFAULT_ADMIN_PASSWORD' | 'INITIAL_ADMIN_PASSWORD_FILE'
  >,
  printLine: (line: string) => void,
): InitialAdmin {
  const file = config.INITIAL_ADMIN_PASSWORD_FILE;
  return {
    username: config.UNLEASH_DEFAULT_ADMIN_USERNAME,
    password: config.UNLEASH_DEFAULT_ADMIN_PASSWORD ?? generatePassword(),
    isGenerated: config.UNLEASH_DEFAULT_ADMIN_PASSWORD === undefined,
    report: (username, password) => reportPassword({ file, printLine }, username, password),
  };
}
