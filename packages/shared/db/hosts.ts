import { urlsOfHosts } from '../config/database-url.ts';

/**
 * The hosts of a login's URL. One is current, and new connections go there. After a failed connection the next one is
 * current, in turn: after a failover it is the new primary, and callers that wait find it within one round.
 */
export class Hosts {
  #turn = 0;
  #count = 1;

  /** How many hosts the last login had. */
  get count(): number {
    return this.#count;
  }

  /** Which host is current. */
  get turn(): number {
    return this.#turn;
  }

  /** The URL of the login with the current host alone. */
  urlFor(login: string): string {
    const urls = urlsOfHosts(login);
    this.#count = urls.length;
    return urls[this.#turn % urls.length]!;
  }

  /** Several connections to one host fail together. Only the first makes another one current. */
  failed(turn: number): void {
    if (this.#turn === turn) this.#turn = (turn + 1) % this.#count;
  }
}
