import type { Auth, Authenticator } from '@nats-io/transport-node';
import type { LoginChoice } from '../config/index.ts';

interface Credentials {
  user?: string;
  pass?: string;
  token?: string;
}

export interface NatsLogin {
  /** The client calls it for each connection that a server has accepted, also for each reconnection. */
  authenticator: Authenticator;
  onConnected(): void;
}

/**
 * The login of each connection to NATS.
 *
 *   connected   The last login that was sent has led to a connection, or none was sent. The next one is the same,
 *               unless the file has changed.
 *   sent        A login was sent, and no connection has followed. If another one is asked for, the server has refused
 *               it, and the next line follows.
 */
export function createLogin(choice: LoginChoice, parse: (url: string) => Credentials): NatsLogin {
  let sent: string | null = null;
  return {
    authenticator() {
      if (sent !== null) choice.refuse(sent);
      sent = choice.current();
      return authOf(sent, parse);
    },
    onConnected() {
      sent = null;
    },
  };
}

function authOf(url: string, parse: (url: string) => Credentials): Auth {
  const { user, pass, token } = parsedOrNone(url, parse);
  if (token !== undefined) return { auth_token: token };
  return user === undefined ? undefined : { user, ...(pass !== undefined && { pass }) };
}

/** A line that is no address has no login, so the server refuses it. An error would close the client for good. */
function parsedOrNone(url: string, parse: (url: string) => Credentials): Credentials {
  try {
    return parse(url);
  } catch {
    return {};
  }
}
