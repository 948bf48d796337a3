import type { Logger } from '../log/index.ts';
import { isRefusedLogin } from './failures.ts';

/**
 * Whether Postgres accepts the login of this process, by its last new connection.
 *
 *   accepted  The last new connection was opened, or none was tried.
 *   refused   Postgres refused the user or the password. Connections that are open still work, so that only a new one
 *             shows when the login works again.
 */
export class LoginState {
  readonly #log: Logger;
  #isRefused = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  onConnected(): void {
    if (this.#isRefused) this.#log.info('Postgres accepts the login of this service again');
    this.#isRefused = false;
  }

  onFailure(error: unknown): void {
    if (!isRefusedLogin(error) || this.#isRefused) return;
    this.#isRefused = true;
    this.#log.error({ err: error }, 'Postgres refuses the login of this service: compare the password in DATABASE_URL');
  }
}
