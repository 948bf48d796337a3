import { commaSeparated, commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';
import { type InitialToken, type InitialTokenKind, readInitialTokens } from './initial-tokens/initial-token.ts';

/** The tokens of a list, or every fault of it at once; each names its entry by position, since the entry is a secret. */
function initialTokens(kind: InitialTokenKind) {
  return commaSeparated.prefault('').transform((entries, context): InitialToken[] => {
    const { tokens, faults } = readInitialTokens(kind, entries);
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
};

export type AccountsConfig = ReturnType<typeof loadAccountsConfig>;

/** Reads the settings of accounts; throws ConfigError with every fault. */
export function loadAccountsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
