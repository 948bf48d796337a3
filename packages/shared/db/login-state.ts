import type { Logger } from '../log/index.ts';
import { connectionProblem, isRefusedLogin } from './failures.ts';

/**
 * Whether Postgres accepts the connections of this process, by its last new connection.
 *
 *   accepted  The last new connection was opened, or none was tried, or Postgres was just away.
 *   refused   A new connection has a problem that needs an operator: the login, the certificate, or no host is a
 *             primary. Connections that are open may still work, so that only a new one shows when it is gone.
 */
export class LoginState {
  readonly #log: Logger;
  #problem: string | null = null;
  #isRefused = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whether Postgres refuses the user or the password. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  onConnected(): void {
    if (this.#isRefused) this.#log.info('Postgres accepts the login of this service again');
    else if (this.#problem !== null) this.#log.info({ before: this.#problem }, 'Postgres can be used again');
    this.#isRefused = false;
    this.#problem = null;
  }

  onFailure(error: unknown): void {
    const problem = connectionProblem(error);
    if (problem === null || problem === this.#problem) return;
    this.#problem = problem;
    this.#isRefused = isRefusedLogin(error);
    const text = this.#isRefused
      ? 'Postgres refuses the login of this service: compare the password in DATABASE_URL'
      : problem;
    this.#log.error({ err: error }, text);
  }
}
