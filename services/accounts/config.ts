import {
  commaSeparated,
  commonSettings,
  databaseSettings,
  encryptionKey,
  encryptionKeys,
  integer,
  loadConfig,
  secret,
  streamSettings,
} from '@yardarm/shared/config';
import { z } from 'zod';
import { type InitialToken, type InitialTokenKind, readInitialTokens } from './initial-tokens/initial-token.ts';
import { problemsOfPassword } from './passwords/password.ts';

/** The tokens of a list, or all problems of it. A problem names its entry by position, since the entry is a secret. */
function initialTokens(kind: InitialTokenKind, label: string = kind) {
  return commaSeparated.prefault('').transform((entries, context): InitialToken[] => {
    const { tokens, problems } = readInitialTokens(kind, entries, label);
    for (const message of problems) context.addIssue({ code: 'custom', message });
    return tokens;
  });
}

export const settings = {
  ...commonSettings,
  ...streamSettings,
  ...databaseSettings,
  INIT_ADMIN_API_TOKENS: secret(
    initialTokens('admin').describe(
      'Admin tokens to create at start unless they exist, comma-separated, each `*:*.<secret>`',
    ),
  ),
  INIT_CLIENT_API_TOKENS: secret(
    initialTokens('client').describe(
      'Client tokens to create at start unless they exist, comma-separated, each `<project or *>:<environment>.<secret>`',
    ),
  ),
  INIT_BACKEND_API_TOKENS: secret(
    initialTokens('client', 'backend').describe('The same by its newer name; both may be set'),
  ),
  INIT_FRONTEND_API_TOKENS: secret(
    initialTokens('frontend').describe(
      'Frontend tokens to create at start unless they exist, each `<project or *>:<environment>.<secret>`',
    ),
  ),
  ACCOUNTS_ENCRYPTION_KEY: secret(
    encryptionKey
      .optional()
      .describe(
        'The key that encrypts the secrets of SDK tokens in the database: 32 bytes in base64; without it, hashes alone are stored',
      ),
  ),
  ACCOUNTS_ENCRYPTION_OTHER_KEYS: secret(
    encryptionKeys.describe(
      'Keys that only decrypt, comma-separated: the old one after a rotation, the new one before it',
    ),
  ),
  API_TOKENS_READABLE: z
    .enum(['0', '1'], 'should be 0 or 1')
    .default('1')
    .transform((value) => value === '1')
    .describe(
      'Whether lists show the secrets of SDK tokens to those who may read them; 0 deletes the encrypted secrets at the start',
    ),
  UNLEASH_API_TOKENS_LIMIT: integer(0, 1_000_000)
    // The public product's default; it lists 2000 tokens at once.
    .default(2_000)
    .describe('The maximum number of API tokens; tokens of the settings are created beyond it too'),
  PAT_LIMIT: integer(0, 100_000)
    // The public product's default: one token per script, and a person has few scripts.
    .default(10)
    .describe('The maximum number of personal access tokens of one person'),
  SESSION_TTL_HOURS: integer(1, 8_760)
    // The public product's default: two days. No installation needs more than a year.
    .default(48)
    .describe('How long a login lasts, in hours'),
  SIMPLE_LOGIN_LIMIT_PER_MINUTE: integer(1, 100_000)
    // The public product's default: a person needs one or two.
    .default(10)
    .describe('Logins per address and minute, over all replicas'),
  PASSWORD_RESET_LIMIT_PER_MINUTE: integer(1, 100_000)
    .default(10)
    .describe('Uses of one-time tokens and changes of own passwords per address and minute, over all replicas'),
  UNLEASH_DEFAULT_ADMIN_USERNAME: z
    .string()
    .max(255, 'should have at most 255 characters')
    .default('admin')
    .describe('The username of the first admin, who is created when there is no person yet'),
  UNLEASH_DEFAULT_ADMIN_PASSWORD: secret(
    z
      .string()
      .superRefine((password, context) => {
        for (const message of problemsOfPassword(password)) context.addIssue({ code: 'custom', message });
      })
      .optional()
      .describe('The password of the first admin; without it one is generated, which has to be changed'),
  ),
  INITIAL_ADMIN_PASSWORD_FILE: z
    .string()
    .optional()
    .describe('The file for a generated password of the first admin; without it the password goes to standard output'),
};

export type AccountsConfig = ReturnType<typeof loadAccountsConfig>;

/** Throws ConfigError with every problem of the settings. */
export function loadAccountsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}

export function initialTokensOf(config: AccountsConfig): InitialToken[] {
  return [
    ...config.INIT_ADMIN_API_TOKENS,
    ...config.INIT_CLIENT_API_TOKENS,
    ...config.INIT_BACKEND_API_TOKENS,
    ...config.INIT_FRONTEND_API_TOKENS,
  ];
}
