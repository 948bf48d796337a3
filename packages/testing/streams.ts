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

/** Asks JetStream one thing and gives what it answered; a stream is asked to take a message in the same way. */
type Ask = (subject: string, question: object, msgId?: string) => Promise<Record<string, unknown>>;

/**
 * All that a stream holds, byte by byte, headers included; nothing when there is no such stream. Speaks NATS by hand: no code outside
 * the bus has a client, and the bus shows its readers only what it knows of.
 */
export async function readWholeStream(natsUrl: string, name: string): Promise<KeptMessage[]> {
  return askingJetStream(natsUrl, async (ask) => {
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
  });
}

/** Publishes a message under an id, past the bus. */
export async function publishPastTheBus(
  natsUrl: string,
  subject: string,
  payload: object,
  msgId: string,
): Promise<void> {
  await askingJetStream(natsUrl, async (ask) => {
    const { seq, error } = await ask(subject, payload, msgId);
    if (seq === undefined) throw new Error(`no stream took a message on ${subject}: ${JSON.stringify(error)}`);
  });
}

/**
 * For how long a stream knows the ids of its messages. A running server keeps to what it decided when it stored them; one that starts
 * again decides anew at the first publish.
 */
export async function setDuplicateWindow(natsUrl: string, name: string, windowMs: number): Promise<void> {
  await askingJetStream(natsUrl, async (ask) => {
    const { config } = await ask(`$JS.API.STREAM.INFO.${name}`, {});
    const changed = { ...(config as object), duplicate_window: windowMs * 1_000_000 };
    const { error } = await ask(`$JS.API.STREAM.UPDATE.${name}`, changed);
    if (error) throw new Error(`JetStream did not change ${name}: ${JSON.stringify(error)}`);
  });
}

/** Deletes a stream with all that it holds, as the loss of a server's disk does. */
export async function removeStream(natsUrl: string, name: string): Promise<void> {
  await askingJetStream(natsUrl, async (ask) => {
    const { error } = await ask(`$JS.API.STREAM.DELETE.${name}`, {});
    if (error) throw new Error(`JetStream did not delete ${name}: ${JSON.stringify(error)}`);
  });
}

async function askingJetStream<T>(natsUrl: string, asking: (ask: Ask) => Promise<T>): Promise<T> {
  const { hostname, port, username, password } = new URL(natsUrl);
  const socket = net.connect(Number(port), hostname);
  const account = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const options = { verbose: false, headers: true, ...account };
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

  /** An answer is a line `MSG answer 1 <length>` and as many bytes. */
  const ask: Ask = async (subject, question, msgId) => {
    said = '';
    const text = JSON.stringify(question);
    const headers = msgId === undefined ? '' : `NATS/1.0\r\nNats-Msg-Id: ${msgId}\r\n\r\n`;
    const [head, whole] = [Buffer.byteLength(headers), Buffer.byteLength(headers + text)];
    const command = headers === '' ? `PUB ${subject} answer ${whole}` : `HPUB ${subject} answer ${head} ${whole}`;
    socket.write(`${command}\r\n${headers}${text}\r\n`);
    for (;;) {
      const line = /MSG answer 1 +(\d+)\r\n/.exec(said);
      const begin = line ? line.index + line[0].length : 0;
      const length = Number(line?.[1]);
      if (line && said.length >= begin + length) return JSON.parse(said.slice(begin, begin + length));
      if (socket.destroyed) throw new Error(`NATS closed the connection: ${said}`);
      await new Promise<void>((resolve) => {
        hear = resolve;
      });
    }
  };

  try {
    return await asking(ask);
  } finally {
    socket.destroy();
  }
}
