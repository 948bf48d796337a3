import { type Msg, nanos } from '@nats-io/transport-node';
import { type StreamName, streams } from '../contracts/streams.ts';
import type { Connection } from './connection.ts';
import { type Delivery, readDelivery } from './delivery.ts';
import { within } from './waiting.ts';

/**
 * Requests messages of a pull consumer, one request at a time.
 *
 *   idle -> pulling -> idle ... -> closed
 *
 * idle: no request is open. A message that arrives belongs to an earlier request and is kept for the next one.
 * pulling: one request is open. The server fills it, lets it expire, or sends heartbeats while it waits.
 * closed: the inbox is removed, and with it every request.
 *
 * A request ends as `full`; `empty` (the server has no more messages, or none within the time); `gone` (no consumer or
 * stream); or `lost` (disconnected, closed, or no heartbeat). After the last two the caller ensures that the consumer
 * exists and creates another puller.
 */
export interface Puller {
  /** Waits up to 30 s for the next message. */
  next(): Promise<PullResult>;
  /** Returns up to `max` messages that the server has now. */
  more(max: number): Promise<PullResult>;
  /** Closes the puller. Returns the messages that have arrived since, for the caller to nak. */
  close(): Promise<Delivery[]>;
}

export interface PullResult {
  deliveries: Delivery[];
  end: 'full' | 'empty' | 'gone' | 'lost';
}

/** How long the server keeps a request. Two requests a minute cost nothing. */
const expiresMs = 30_000;
/** The interval of the server's heartbeats. Two missed heartbeats end the request, within 5 s. */
const heartbeatMs = 2_000;
const maxSilenceMs = 5_000;
const closeLimitMs = 1_000;

/** `consumer` is a name with the prefix. */
export function createPuller(connection: Connection, stream: StreamName, consumer: string): Puller {
  const { nc, names } = connection;
  const inbox = connection.inboxes.fromServer();
  const apiSubject = `$JS.API.CONSUMER.MSG.NEXT.${names.name(stream)}.${consumer}`;
  const arrived: Delivery[] = [];
  let current: {
    number: number;
    max: number;
    end: (reason: PullResult['end']) => void;
    restartTimer: () => void;
  } | null = null;
  let count = 0;
  let isClosed = false;

  const receive = (message: Msg): void => {
    if (!message.subject.startsWith(`${inbox}.`)) {
      arrived.push(readDelivery(message, streams[stream], names));
      current?.restartTimer();
      if (current && arrived.length >= current.max) current.end('full');
      return;
    }
    // The subject of a status ends in the number of its request.
    if (!current || message.subject !== `${inbox}.${current.number}`) return;
    const code = message.headers?.code ?? 0;
    if (code === 100) current.restartTimer();
    else if (code === 404 || code === 408) current.end('empty');
    else if (code === 503 || /deleted/i.test(message.headers?.description ?? '')) current.end('gone');
    else current.end('lost');
  };
  const subscription = nc.subscribe(`${inbox}.*`, {
    callback: (error, message) => (error ? current?.end('lost') : receive(message)),
  });
  const stopListening = connection.onStatus((connected) => connected || current?.end('lost'));

  const pull = (max: number, options: object): Promise<PullResult> =>
    new Promise((resolve) => {
      count += 1;
      let timer: NodeJS.Timeout | undefined;
      const end = (reason: PullResult['end']): void => {
        clearTimeout(timer);
        current = null;
        resolve({ deliveries: arrived.splice(0, max), end: reason });
      };
      const restartTimer = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => end('lost'), maxSilenceMs);
      };
      current = { number: count, max, end, restartTimer };
      if (isClosed || nc.isClosed() || !connection.isConnected()) return end('lost');
      if (arrived.length >= max) return end('full');
      restartTimer();
      nc.publish(apiSubject, JSON.stringify({ batch: max - arrived.length, ...options }), {
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
        // The messages that the server had sent arrive before `drain` resolves.
        if (connection.isConnected() && !nc.isClosed()) await within(closeLimitMs, subscription.drain());
        if (!nc.isClosed()) subscription.unsubscribe();
      }
      current?.end('lost');
      return arrived.splice(0);
    },
  };
}
