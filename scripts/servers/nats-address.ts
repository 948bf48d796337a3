import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';

export type NatsInfo = { version: string; jetstream: boolean };

type Greeting = { version: string; jetstream?: boolean; tls_required?: boolean };

// 5 s: with a slower server every later step would fail with a less clear message.
const timeoutMs = 5_000;

const reasons: Record<string, string> = {
  ECONNREFUSED: 'no server listens there (connection refused)',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'there is no way to the host',
  ECONNRESET: 'the connection was cut: is that NATS?',
};

/** The account of the CONNECT message, from the `user:password` or the token of an address. */
function accountOf(url: URL): Record<string, string> {
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  if (!user) return {};
  return password ? { user, pass: password } : { auth_token: user };
}

/** Below it are the inboxes of `askNats`. */
export const askingInbox = '_INBOX.yardarm';

/**
 * Asks the server at `address` for its version and whether its JetStream answers. It writes the few protocol lines
 * itself, because only the bus may import the client. Throws an Error whose message is a clause without the address.
 * For a server that requires TLS its greeting decides, which it sends before TLS begins.
 */
export function askNats(address: string): Promise<NatsInfo> {
  const url = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 4222) });
    const inbox = `${askingInbox}.${randomUUID()}`;
    let text = '';
    let info: Greeting | undefined;

    const finish = (jetstream: boolean) => {
      socket.destroy();
      if (info) resolve({ version: info.version, jetstream });
    };
    const fail = (reason: string) => {
      socket.destroy();
      reject(new Error(reason));
    };
    socket.setTimeout(timeoutMs, () => fail(info ? 'JetStream does not answer' : 'it does not speak NATS'));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      fail((error.code && reasons[error.code]) || error.message || String(error.code)),
    );
    socket.on('close', () => fail('it closed the connection: is that NATS?'));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const greeting = /^INFO (.*)\r\n/.exec(text)?.[1];
      if (!info && greeting) {
        const greeted = JSON.parse(greeting) as Greeting;
        info = greeted;
        if (greeted.tls_required) return finish(greeted.jetstream === true);
        const options = {
          verbose: false,
          pedantic: false,
          lang: 'node',
          version: '0',
          headers: true,
          no_responders: true,
        };
        socket.write(`CONNECT ${JSON.stringify({ ...options, ...accountOf(url) })}\r\n`);
        socket.write(`SUB ${inbox} 1\r\nPUB $JS.API.INFO ${inbox} 0\r\n\r\nPING\r\n`);
        return undefined;
      }
      if (/^-ERR 'Authorization/im.test(text)) return fail('the user or the password is wrong');
      // The user of a service may not ask. The greeting says whether JetStream is on.
      if (/^-ERR 'Permissions/im.test(text)) return finish(info?.jetstream === true);
      // "No responders" is a message with headers: the server answers without JetStream.
      if (text.includes(`HMSG ${inbox}`)) return finish(false);
      if (text.includes(`MSG ${inbox}`) && text.includes('account_info_response')) return finish(true);
      return undefined;
    });
  });
}

/** Why `address` cannot be used, as a clause, or undefined if it can. */
export async function findNatsProblem(address: string): Promise<string | undefined> {
  try {
    const { jetstream } = await askNats(address);
    return jetstream ? undefined : 'its JetStream is not switched on';
  } catch (error) {
    return (error as Error).message;
  }
}
