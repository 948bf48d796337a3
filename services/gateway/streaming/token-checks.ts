import { isDeepStrictEqual } from 'node:util';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { AuthResult } from '../authentication/authenticator.ts';

/**
 * A revocation whose hint was lost ends the streams within 30 s. The first authentication with a token older than 10 s
 * asks for it again, and the next one uses the answer: 20 s.
 */
const checkEveryMs = 5_000;

export type Authenticate = () => Promise<Pick<AuthResult, 'token'>>;

interface Checked {
  token: ResolvedToken;
  /** With the credentials of the newest stream. */
  authenticate: Authenticate;
  ends: Set<() => void>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The tokens of the open streams. Each is authenticated every 5 s, at its expiry, and when a hint affects it: once for
 * all of its streams, which may be thousands. When it is refused, or does not read the same environment and projects as
 * before, its streams end. While accounts is unavailable they stay, as the reads of its SDKs do.
 */
export class TokenChecks {
  readonly #checked = new Map<number, Checked>();

  /** Calls `end` when the token is no longer valid, unless the returned function is called before. */
  add(token: ResolvedToken, authenticate: Authenticate, end: () => void): () => void {
    let checked = this.#checked.get(token.id);
    if (!checked) {
      checked = { token, authenticate, ends: new Set(), timer: undefined };
      this.#checked.set(token.id, checked);
      this.#schedule(checked);
    }
    checked.authenticate = authenticate;
    checked.ends.add(end);
    const entry = checked;
    return () => {
      if (!entry.ends.delete(end) || entry.ends.size > 0) return;
      clearTimeout(entry.timer);
      if (this.#checked.get(token.id) === entry) this.#checked.delete(token.id);
    };
  }

  recheck(isAffected: (token: ResolvedToken) => boolean): void {
    for (const checked of this.#checked.values()) if (isAffected(checked.token)) void this.#check(checked);
  }

  #schedule(checked: Checked): void {
    clearTimeout(checked.timer);
    const { expiresAt } = checked.token;
    const untilExpiryMs = expiresAt === null ? checkEveryMs : Date.parse(expiresAt) - Date.now();
    checked.timer = setTimeout(() => this.#check(checked), Math.max(0, Math.min(untilExpiryMs, checkEveryMs)));
  }

  /** Never rejects. */
  async #check(checked: Checked): Promise<void> {
    this.#schedule(checked);
    try {
      const { token } = await checked.authenticate();
      if (token && hasSameScope(token, checked.token)) checked.token = token;
      else this.#end(checked);
    } catch (error) {
      const isUnavailable = error instanceof AppError && error.status >= 500;
      if (!isUnavailable) this.#end(checked);
    }
  }

  #end(checked: Checked): void {
    clearTimeout(checked.timer);
    if (this.#checked.get(checked.token.id) === checked) this.#checked.delete(checked.token.id);
    for (const end of checked.ends) end();
    checked.ends.clear();
  }
}

function hasSameScope(one: ResolvedToken, two: ResolvedToken): boolean {
  return one.environment === two.environment && isDeepStrictEqual(one.projects, two.projects);
}
