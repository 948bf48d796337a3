import type { Logins } from './secrets.ts';

/**
 * The login that a new connection uses, of the lines of a file. So a password is changed while processes run: the file
 * has the new login and the old one, in any order, until the server knows the new one.
 *
 *   first line   At the start, and whenever the lines have changed.
 *   next line    After the server has refused the present one; after the last line the first again. A line that a
 *                server refuses now may be the one that it accepts a minute later.
 */
export class LoginChoice {
  readonly #logins: Logins;
  #known: readonly string[] = [];
  #index = 0;

  constructor(logins: Logins) {
    this.#logins = logins;
  }

  /** How many logins a connection may try before all of them have been refused. */
  get count(): number {
    return this.#known.length;
  }

  current(): string {
    const logins = this.#logins();
    if (logins.join('\n') !== this.#known.join('\n')) this.#index = 0;
    this.#known = logins;
    return logins[this.#index]!;
  }

  /** The server has refused this login. Another connection may have reported it already. */
  refuse(login: string): void {
    if (this.#known[this.#index] === login) this.#index = (this.#index + 1) % this.#known.length;
  }
}
