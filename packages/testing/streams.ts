import net from 'node:net';

/** A message as the server keeps it. */
export interface KeptMessage {
  subject: string;
  /** Every header, as on the wire. */
  headers: string;
  data: string;
}

/** The longest that the server may take to say something: it is on this machine. */
const limitMs = 10_000;

/**
 * All that a stream holds, byte by byte, headers included; nothing when there is no such stream. Speaks NATS by hand: no code outside
 * the bus has a client, and the bus shows its readers only what it knows of.
 */
export async function readWholeStream(natsUrl: string, name: string): Promise<KeptMessage[]> {
  const { hostname, port, username, password } = new URL(natsUrl);
  const socket = net.connect(Number(port), hostname);
  const options = { verbose: false, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  let said = '';
  let hear = () => {};
  socket.on('data', (chunk) => {
    said += chunk.toString('latin1');
    hear();
  });
  socket.on('error', () => hear());
  socket.on('close', () => hear());
  socket.setTimeout(limitMs, () => socket.destroy(new Error('NATS says nothing')));
  socket.write(`CONNECT ${JSON.stringify(options)}\r\nSUB answer 1\r\n`);

  /** Asks JetStream one thing; the answer is a line `MSG answer 1 <length>` and as many bytes. */
  async function ask(subject: string, question: object): Promise<Record<string, never>> {
    said = '';
    const text = JSON.stringify(question);
    socket.write(`PUB ${subject} answer ${text.length}\r\n${text}\r\n`);
    for (;;) {
      const head = /MSG answer 1 (\d+)\r\n/.exec(said);
      const begin = head ? head.index + head[0].length : 0;
      const length = Number(head?.[1]);
      if (head && said.length >= begin + length) return JSON.parse(said.slice(begin, begin + length));
      if (socket.destroyed) throw new Error(`NATS closed the connection: ${said}`);
      await new Promise<void>((resolve) => {
        hear = resolve;
      });
    }
  }

  try {
    const { state } = (await ask(`$JS.API.STREAM.INFO.${name}`, {})) as {
      state?: { first_seq: number; last_seq: number };
    };
    const messages: KeptMessage[] = [];
    for (let seq = state?.first_seq ?? 1; seq <= (state?.last_seq ?? 0); seq += 1) {
      const { message } = (await ask(`$JS.API.STREAM.MSG.GET.${name}`, { seq })) as {
        message?: { subject: string; hdrs?: string; data?: string };
      };
      if (message) {
        const decoded = (base64 = '') => Buffer.from(base64, 'base64').toString();
        messages.push({ subject: message.subject, headers: decoded(message.hdrs), data: decoded(message.data) });
      }
    }
    return messages;
  } finally {
    socket.destroy();
  }
}
