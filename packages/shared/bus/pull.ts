import { createInbox, type Msg, nanos } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
import { type Delivery, readDelivery } from './delivery.ts';
import { within } from './waiting.ts';

/**
 * Asks a pull consumer for messages, one request at a time.
 *
 *   idle -> pulling -> idle ... -> closed
 *
 * idle: nothing is asked for; what still arrives belongs to a request that was given up, and is kept for the next. pulling: a request stands at
 * the server, which fills it, lets it expire, or sends a heartbeat to say that it is still there. closed: the inbox is gone, and with it every
 * request at the server.
 *
 * A request ends `full`; `empty` (the server has no more, or none within the time); `gone` (the consumer or its stream does not exist); or `lost`
 * (disconnected, interrupted, silent for longer than its heartbeat): after these two make another puller, once the consumer is known to exist.
 */
export interface Puller {
  /** Waits for the next message, 30 s at most. */
  next(): Promise<Pulled>;
  /** Takes up to `max` of what is there, waiting for nothing. */
  more(max: number): Promise<Pulled>;
  /** Ends; resolves with what had arrived and was not taken, so that it can be given back. */
  close(): Promise<Delivery[]>;
}

export interface Pulled {
  deliveries: Delivery[];
  end: 'full' | 'empty' | 'gone' | 'lost';
}

/** How long a request stands at the server: asking anew twice a minute costs nothing. */
const expiresMs = 30_000;
/** The server says this often that a waiting request still stands; two missed are a loss, noticed within five seconds. */
const heartbeatMs = 2_000;
const silenceMs = 5_000;
/** Closing waits no longer for a server that does not answer. */
const closeLimitMs = 1_000;

/** `stream` and `consumer` as the server knows them. */
export function createPuller(connection: Connection, stream: string, consumer: string): Puller {
  const { nc, names } = connection;
  const inbox = createInbox();
  const apiSubject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
  const arrived: Delivery[] = [];
  let current: { number: number; max: number; end: (reason: Pulled['end']) => void; heard: () => void } | null = null;
  let count = 0;
  let isClosed = false;

  const receive = (message: Msg): void => {
    if (!message.subject.startsWith(`${inbox}.`)) {
      arrived.push(readDelivery(message, names));
      current?.heard();
      if (current && arrived.length >= current.max) current.end('full');
      return;
    }
    // A status stands under the number of the request that it answers.
    if (!current || message.subject !== `${inbox}.${current.number}`) return;
    const code = message.headers?.code ?? 0;
    if (code === 100) current.heard();
    else if (code === 404 || code === 408) current.end('empty');
    else if (code === 503 || /deleted/i.test(message.headers?.description ?? '')) current.end('gone');
    else current.end('lost');
  };
  const subscription = nc.subscribe(`${inbox}.*`, {
    callback: (error, message) => (error ? current?.end('lost') : receive(message)),
  });
  const stopListening = connection.onStatus((connected) => connected || current?.end('lost'));

  const pull = (max: number, question: object): Promise<Pulled> =>
    new Promise((resolve) => {
      count += 1;
      let timer: NodeJS.Timeout | undefined;
      const end = (reason: Pulled['end']): void => {
        clearTimeout(timer);
        current = null;
        resolve({ deliveries: arrived.splice(0, max), end: reason });
      };
      const heard = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => end('lost'), silenceMs);
      };
      current = { number: count, max, end, heard };
      if (isClosed || nc.isClosed() || !connection.isConnected()) return end('lost');
      if (arrived.length >= max) return end('full');
      heard();
      nc.publish(apiSubject, JSON.stringify({ batch: max - arrived.length, ...question }), {
        reply: `${inbox}.${count}`,
      });
    });

  return {
    next: () => pull(1, { expires: nanos(expiresMs), idle_heartbeat: nanos(heartbeatMs) }),
    more: (max) => pull(max, { no_wait: true }),
    async close() {
      stopListening();
      if (!isClosed) {
        isClosed = true;
        // Messages that were on the way when the server heard of it arrive before this resolves.
        if (connection.isConnected() && !nc.isClosed()) await within(closeLimitMs, subscription.drain());
        if (!nc.isClosed()) subscription.unsubscribe();
      }
      current?.end('lost');
      return arrived.splice(0);
    },
  };
}
