import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface LosingProxy {
  /** The URL of NATS by way of the proxy, with the user of the given one. */
  url: string;
  /** The subjects of the messages that were lost. */
  lost: string[];
  close(): void;
}

const lineEnd = Buffer.from('\r\n');

/** A proxy in front of NATS that loses the messages to its clients whose subject `isLost`, and nothing else. */
export async function startLosingProxy(natsUrl: string, isLost: (subject: string) => boolean): Promise<LosingProxy> {
  const { hostname, port } = new URL(natsUrl);
  const lost: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const nats = connect(Number(port), hostname);
    let rest = Buffer.alloc(0);
    nats.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        const message = firstMessage(rest);
        if (message === null) return;
        rest = rest.subarray(message.bytes.length);
        if (message.subject !== null && isLost(message.subject)) lost.push(message.subject);
        else client.write(message.bytes);
      }
    });
    client.on('data', (data) => nats.write(data));
    for (const [one, other] of [
      [client, nats],
      [nats, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined).on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(natsUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    lost,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The first line of what NATS sent, with the payload that it announces. Null while a part of it is missing. */
function firstMessage(data: Buffer): { subject: string | null; bytes: Buffer } | null {
  const end = data.indexOf(lineEnd);
  if (end === -1) return null;
  const words = data.subarray(0, end).toString().split(/ +/);
  const hasPayload = words[0] === 'MSG' || words[0] === 'HMSG';
  const length = end + 2 + (hasPayload ? Number(words.at(-1)) + 2 : 0);
  if (data.length < length) return null;
  return { subject: hasPayload ? words[1]! : null, bytes: data.subarray(0, length) };
}
