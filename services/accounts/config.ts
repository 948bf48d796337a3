import { commaSeparated, commonSettings, databaseSettings, integer, loadConfig } from '@yardarm/shared/config';
import { z } from 'zod';
import { type InitialToken, type InitialTokenKind, readInitialTokens } from './initial-tokens/initial-token.ts';
import { faultsOfPassword } from './passwords/password.ts';

/** The tokens of a list, or every fault of it at once; each names its entry by position, since the entry is a secret. */
function initialTokens(kind: InitialTokenKind, called: string = kind) {
  return commaSeparated.prefault('').transform((entries, context): InitialToken[] => {
    const { tokens, faults } = readInitialTokens(kind, entries, called);
    for (const message of faults) context.addIssue({ code: 'custom', message });
    return tokens;
  });
}

export const settings = {
  ...commonSettings,
  ...databaseSettings,
  INIT_ADMIN_API_TOKENS: initialTokens('admin').describe(
    'Admin tokens to make at start unless they are there, comma-separated, each `*:*.<secret>`',
  ),
  INIT_CLIENT_API_TOKENS: initialTokens('client').describe(
    'Client tokens to make at start unless they are there, comma-separated, each `<project or *>:<environment>.<secret>`',
  ),
  INIT_BACKEND_API_TOKENS: initialTokens('client', 'backend').describe('The same by its newer name; both may be given'),
  INIT_FRONTEND_API_TOKENS: initialTokens('frontend').describe(
    'Frontend tokens likewise, each `<project or *>:<environment>.<secret>`',
  ),
  UNLEASH_API_TOKENS_LIMIT: integer(0, 1_000_000)
    // The public product's, which lets 2000 be listed at once.
    .default(2_000)
    .describe('The most API tokens that there can be; tokens of the settings are made all the same'),
  PAT_LIMIT: integer(0, 100_000)
    // The public product's: one a script, and a person has few.
    .default(10)
    .describe('The most personal access tokens of one person'),
  SESSION_TTL_HOURS: integer(1, 8_760)
    // The public product's: two days. A year is the longest that could be meant.
    .default(48)
    .describe('How long a login lasts, in hours'),
  SIMPLE_LOGIN_LIMIT_PER_MINUTE: integer(1, 100_000)
    // The public product's: a person needs one or two.
    .default(10)
    .describe('Logins per address and minute, over all replicas'),
  PASSWORD_RESET_LIMIT_PER_MINUTE: integer(1, 100_000)
    .default(10)
    .describe('Uses of one-time tokens and changes of own passwords per address and minute, over all replicas'),
  UNLEASH_DEFAULT_ADMIN_USERNAME: z
    .string()
    .max(255, 'should have at most 255 characters')
    .default('admin')
    .describe('The username of the first admin, who is made when there is no user yet'),
  UNLEASH_DEFAULT_ADMIN_PASSWORD: z
    .string()
    .superRefine((password, context) => {
      for (const message of faultsOfPassword(password)) context.addIssue({ code: 'custom', message });
    })
    .optional()
    .describe('The password of the first admin; one is generated when this is not set, and has to be changed'),
  INITIAL_ADMIN_PASSWORD_FILE: z
    .string()
    .optional()
    .describe('Where a generated password of the first admin is written; to standard output when this is not set'),
};

export type AccountsConfig = ReturnType<typeof loadAccountsConfig>;

/** Reads the settings of accounts; throws ConfigError with every fault. */
export function loadAccountsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}

/** Every token that the settings give, of whatever kind. */
export function initialTokensOf(config: AccountsConfig): InitialToken[] {
  return [
    ...config.INIT_ADMIN_API_TOKENS,
    ...config.INIT_CLIENT_API_TOKENS,
    ...config.INIT_BACKEND_API_TOKENS,
    ...config.INIT_FRONTEND_API_TOKENS,
  ];
}
