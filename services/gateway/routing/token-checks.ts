import { isDeepStrictEqual } from 'node:util';
import type { RequestContext } from '@yardarm/shared/bus';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';

/**
 * A revocation whose hint was lost ends the streams within 30 s. The first authentication with a token older than 10 s
 * asks for it again, and the next one uses the answer: 20 s.
 */
const checkEveryMs = 5_000;

/** Throws the refusals of authentication. The context is that of one request to a service, with the present actor. */
export type Authenticate = () => Promise<{ token: ResolvedToken | null; context: RequestContext }>;

export interface Authenticated {
  token: ResolvedToken;
  /** Authenticates the caller again. */
  authenticate: Authenticate;
}

/** The token of streams with the same key. Only TokenChecks uses its fields. */
export interface Checked extends Authenticated {
  key: unknown;
  stops: Set<() => void>;
  timer?: NodeJS.Timeout;
}

/**
 * The tokens of the open streams. Each is authenticated again when a stream opens, every 5 s, and when a hint affects
 * it: once for all streams with the same key, which may be thousands. States:
 *
 *   valid    Its streams are open. It also stays valid while accounts is unavailable, as for the reads of SDKs.
 *   refused  It has expired, authentication refuses it, or it does not read the same environment and projects as
 *            before: its streams are stopped.
 */
export class TokenChecks {
  /** By key. Each has at least one stream. */
  readonly #checked = new Map<unknown, Checked>();
  readonly #everyMs: number;

  constructor(everyMs = checkEveryMs) {
    this.#everyMs = everyMs;
  }

  /**
   * Calls `stop` when the token is refused, until `remove` is called. The check uses the credentials of the newest
   * stream with this key.
   */
  add(key: unknown, { token, authenticate }: Authenticated, stop: () => void): Checked {
    const checked: Checked = this.#checked.get(key) ?? { key, token, authenticate, stops: new Set() };
    this.#checked.set(key, checked);
    checked.authenticate = authenticate;
    checked.stops.add(stop);
    // A hint may have arrived while the answer was made.
    this.#checkInBackground(checked);
    return checked;
  }

  recheck(isAffected: (token: ResolvedToken) => boolean): void {
    for (const checked of this.#checked.values()) if (isAffected(checked.token)) this.#checkInBackground(checked);
  }

  #checkInBackground(checked: Checked): void {
    this.check(checked).catch(() => undefined);
  }

  /** Authenticates now. Throws the errors of authentication. */
  async check(checked: Checked): Promise<RequestContext> {
    // Before the answer, which may take long while the token expires. And after it, since the expiry may have changed.
    this.#schedule(checked);
    try {
      const { token, context } = await checked.authenticate();
      if (!token || !hasSameScope(token, checked.token))
        throw new AppError('unauthenticated', 'The token has changed.');
      checked.token = token;
      this.#schedule(checked);
      return context;
    } catch (error) {
      const isUnavailable = error instanceof AppError && error.status >= 500;
      if (!isUnavailable) this.#refuse(checked);
      throw error;
    }
  }

  #schedule(checked: Checked): void {
    clearTimeout(checked.timer);
    const { expiresAt } = checked.token;
    const leftMs = expiresAt === null ? this.#everyMs : Date.parse(expiresAt) - Date.now();
    if (leftMs <= 0) this.#refuse(checked);
    else if (checked.stops.size > 0)
      checked.timer = setTimeout(() => this.#checkInBackground(checked), Math.min(leftMs, this.#everyMs));
  }

  #refuse(checked: Checked): void {
    for (const stop of checked.stops) {
      this.remove(checked, stop);
      stop();
    }
  }

  remove(checked: Checked, stop: () => void): void {
    if (!checked.stops.delete(stop) || checked.stops.size > 0) return;
    clearTimeout(checked.timer);
    this.#checked.delete(checked.key);
  }
}

function hasSameScope(one: ResolvedToken, two: ResolvedToken): boolean {
  return one.environment === two.environment && isDeepStrictEqual(one.projects, two.projects);
}
