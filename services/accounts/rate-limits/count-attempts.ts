import { networkOf } from '@yardarm/shared/auth';
import type { Kysely } from '@yardarm/shared/db';
import { type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { AccountsConfig } from '../config.ts';
import type { AccountsTables } from '../db/schema.ts';
import { accountLimit, guessLimit, perMinute, tooManyAttempts } from './rate-limit.ts';
import { createCounter } from './rate-limits.repo.ts';

/** Counts attempts. Each count throws `rate-limited` above its limit. */
export interface Attempts {
  countLogin(address: string): Promise<void>;
  /** A use of a one-time token, or a change of one's own password, from this address. */
  countPasswordRequest(address: string): Promise<void>;
  /** A password that is about to be checked; `account` is the result of `findAccountKey`. */
  countGuess(account: string, address: string): Promise<void>;
  /** The password was right, so its count is taken back. */
  forgetGuess(account: string, address: string): Promise<void>;
  /** The password was set anew by a one-time token: its owner logs in now, whatever was tried before. */
  forgetGuesses(account: string, address: string): Promise<void>;
}

/** Creates the counters on the table that all replicas share. */
export function createAttempts(
  db: Kysely<AccountsTables>,
  config: Pick<AccountsConfig, 'SIMPLE_LOGIN_LIMIT_PER_MINUTE' | 'PASSWORD_RESET_LIMIT_PER_MINUTE'>,
): Attempts {
  const ofAddress = { remembersRefused: true };
  const logins = createCounter(db, 'login', perMinute(config.SIMPLE_LOGIN_LIMIT_PER_MINUTE), ofAddress);
  const passwords = createCounter(db, 'password', perMinute(config.PASSWORD_RESET_LIMIT_PER_MINUTE), ofAddress);
  const guesses = createCounter(db, 'guess', guessLimit);
  const accounts = createCounter(db, 'account', accountLimit);
  const guessKey = (account: string, address: string) => `${account}:${networkOf(address)}`;
  return {
    countLogin: (address) => count(logins, networkOf(address), 'logins from this address'),
    countPasswordRequest: (address) => count(passwords, networkOf(address), 'requests from this address'),
    async countGuess(account, address) {
      // In this order: attempts beyond the limit of an address must not count against the account.
      await count(guesses, guessKey(account, address), 'wrong passwords');
      await count(accounts, account, 'wrong passwords');
    },
    async forgetGuess(account, address) {
      await guesses.delete(guessKey(account, address));
      await accounts.reward(account, 1);
    },
    async forgetGuesses(account, address) {
      await guesses.delete(guessKey(account, address));
      await accounts.delete(account);
    },
  };
}

async function count(counter: RateLimiterPostgres, key: string, what: string): Promise<void> {
  try {
    await counter.consume(key);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) throw tooManyAttempts(what, refusal.msBeforeNext);
    throw refusal;
  }
}
