import { type Keyring, keyringOf, type Sealed } from '@yardarm/shared/encryption';
import type { ApiTokenKind } from '../api-tokens/api-token.ts';

/** The part of the settings that decides whether secrets of SDK tokens can be read. */
export interface ReadableSecretsConfig {
  API_TOKENS_READABLE: boolean;
  ACCOUNTS_ENCRYPTION_KEY?: Buffer | undefined;
  ACCOUNTS_ENCRYPTION_OTHER_KEYS: readonly Buffer[];
}

/**
 * How this process stores and reads secrets of SDK tokens:
 *   readable   with a key, unless API_TOKENS_READABLE is 0. New tokens have an encrypted secret.
 *   no key     New tokens have a hash alone. Secrets that are stored stay, since the key may come back.
 *   switched off by API_TOKENS_READABLE=0. As without a key, and the stored secrets are deleted.
 */
export interface ReadableSecrets {
  /** Null unless secrets are readable. */
  readonly keys: Keyring | null;
  readonly deletesStored: boolean;
  /** The encrypted secret of a new token; null for an admin token, and where secrets are not readable. */
  seal(token: { kind: ApiTokenKind; selector: string }, secret: string): Sealed | null;
  /** The secret of a stored token; null where none is stored or the keys do not decrypt it. */
  open(token: { selector: string; sealed: Sealed | null }): string | null;
}

export function readableSecretsOf(config: ReadableSecretsConfig): ReadableSecrets {
  const { API_TOKENS_READABLE: isWanted, ACCOUNTS_ENCRYPTION_KEY: key } = config;
  const keys = isWanted && key ? keyringOf(key, config.ACCOUNTS_ENCRYPTION_OTHER_KEYS) : null;
  return {
    keys,
    deletesStored: !isWanted,
    seal: ({ kind, selector }, secret) =>
      keys === null || kind === 'admin' ? null : keys.seal(secret, purposeOf(selector)),
    open({ selector, sealed }) {
      if (keys === null || sealed?.keyId == null || !keys.has(sealed.keyId)) return null;
      try {
        return keys.open(sealed, purposeOf(selector));
      } catch {
        // A row that was changed by hand. The token works, and its secret is not readable.
        return null;
      }
    },
  };
}

/** A selector names one token forever, so an encrypted secret decrypts in no other row. */
export function purposeOf(selector: string): string {
  return `secret of the API token ${selector}`;
}
