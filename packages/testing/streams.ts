import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { eventually } from './eventually.ts';

export interface StoredMessage {
  subject: string;
  /** Every header, as on the wire. */
  headers: string;
  data: string;
}

/** All messages of a stream with their headers, which the bus does not return; empty if the stream does not exist. */
export async function readWholeStream(natsUrl: string, name: string): Promise<StoredMessage[]> {
  return withJetStream(natsUrl, async ({ streams }) => {
    const info = await streams.info(name).catch((error: unknown) => {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return null;
      throw error;
    });
    const messages: StoredMessage[] = [];
    for (let seq = info?.state.first_seq ?? 1; seq <= (info?.state.last_seq ?? 0); seq += 1) {
      const message = await streams.getMessage(name, { seq });
      // Removed by the stream's limits, or by a test.
      if (message === null) continue;
      messages.push({ subject: message.subject, headers: String(message.header ?? ''), data: message.string() });
    }
    return messages;
  });
}

/** The names of all streams of a system, also of those that back a bucket. */
export async function namesOfStreams(natsUrl: string, prefix: string): Promise<string[]> {
  return withJetStream(natsUrl, async ({ streams }) => {
    const names: string[] = [];
    for await (const name of streams.names()) if (name.includes(prefix)) names.push(name);
    return names;
  });
}

/** Publishes a message with an id, without the bus. */
export async function publishWithoutBus(
  natsUrl: string,
  subject: string,
  payload: object,
  msgId: string,
): Promise<void> {
  await withJetStream(natsUrl, (_, connection) =>
    jetstream(connection).publish(subject, JSON.stringify(payload), { msgID: msgId }),
  );
}

/** Makes a stream of one subject. */
export async function addStream(natsUrl: string, name: string, subject: string): Promise<void> {
  await withJetStream(natsUrl, ({ streams }) => streams.add({ name, subjects: [subject] }));
}

/**
 * Sets for how long a stream remembers the ids of its messages. A running server does not apply the change to stored
 * messages. A restarted server applies it at the first publish.
 */
export async function setDuplicateWindow(natsUrl: string, name: string, windowMs: number): Promise<void> {
  await withJetStream(natsUrl, ({ streams }) => streams.update(name, { duplicate_window: windowMs * 1_000_000 }));
}

/** Lets all messages of a stream expire. Its sequences go on. */
export async function expireMessages(natsUrl: string, name: string): Promise<void> {
  await withJetStream(natsUrl, async ({ streams }) => {
    const { max_age, duplicate_window } = (await streams.info(name)).config;
    // The server's smallest age.
    await streams.update(name, { max_age: 100_000_000, duplicate_window: 100_000_000 });
    await eventually(async () => {
      const { messages } = (await streams.info(name)).state;
      if (messages > 0) throw new Error(`${name} still has ${messages} messages`);
    });
    await streams.update(name, { max_age, duplicate_window });
  });
}

/** Deletes a stream with its messages, like the loss of a server's disk. */
export async function removeStream(natsUrl: string, name: string): Promise<void> {
  await withJetStream(natsUrl, ({ streams }) => streams.delete(name));
}

/** Deletes a stream and makes it anew with a description, as another system would whose NATS lost it. */
export async function replaceStream(
  natsUrl: string,
  name: string,
  subjects: string[],
  description: string,
): Promise<void> {
  await withJetStream(natsUrl, ({ streams }) =>
    // A running process may make the stream between the two requests. Then both are repeated.
    eventually(async () => {
      await streams.delete(name);
      await streams.add({ name, subjects, description });
    }),
  );
}

async function withJetStream<T>(
  natsUrl: string,
  use: (manager: JetStreamManager, connection: NatsConnection) => Promise<T>,
): Promise<T> {
  const { host, username, password } = new URL(natsUrl);
  const account = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const connection = await connect({ servers: host, ...account });
  try {
    return await use(await jetstreamManager(connection), connection);
  } finally {
    await connection.close();
  }
}
