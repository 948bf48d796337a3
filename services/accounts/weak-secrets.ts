import { publishedKey } from '@yardarm/shared/encryption';
import type { Logger } from '@yardarm/shared/log';
import { type AccountsConfig, initialTokensOf } from './config.ts';
import { publishedWord } from './initial-tokens/initial-token.ts';

/** Warns of secrets in the settings that others know or can guess. Names them, and shows none of their text. */
export function warnOfWeakSecrets(config: AccountsConfig, log: Logger): void {
  const tokens = initialTokensOf(config);
  const named = (weakness: 'published' | 'short') =>
    tokens.flatMap((token) => (token.weakness === weakness ? [token.name] : []));
  const logins = (['DATABASE_URL', 'NATS_URL'] as const).filter((setting) => config[setting].includes(publishedWord));
  const key = config.ACCOUNTS_ENCRYPTION_KEY;
  const published = [
    ...named('published'),
    ...logins,
    ...(key && publishedKey.equals(key) ? ['ACCOUNTS_ENCRYPTION_KEY'] : []),
  ];
  const short = named('short');
  if (published.length > 0)
    log.warn({ published }, 'secrets of the settings are published in docker-compose.yml; set your own');
  if (short.length > 0)
    log.warn({ short }, 'tokens of the settings have a secret of fewer than 20 characters, which can be guessed');
}
