import pg from 'pg';
import type { LoginChoice } from '../config/index.ts';
import { isRefusedLogin } from './failures.ts';
import type { Hosts } from './hosts.ts';

type Callback = (error: Error | null | undefined) => void;

/**
 * The class of a pool's connections: each is opened with the present login of the choice, to the current host.
 * Postgres keeps a connection that is open when the password changes, so that only new ones need the new password.
 */
export function clientWith(choice: LoginChoice, hosts: Hosts): typeof pg.Client {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      const login = choice.current();
      super({ ...config, connectionString: hosts.urlFor(login) });
      // The pool calls it with a callback.
      const connect = this.connect.bind(this) as (callback: Callback) => void;
      const connectAndNotice = (callback: Callback) =>
        connect((error) => {
          if (isRefusedLogin(error)) choice.refuse(login);
          callback(error);
        });
      Object.assign(this, { connect: connectAndNotice });
    }
  };
}

/** Runs `open` until it succeeds, with each login of the choice at most once. Throws its last error. */
export async function withEachLogin<R>(choice: LoginChoice, open: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isRefusedLogin(error) || attempt >= choice.count) throw error;
    }
  }
}
