import type { StreamName } from '../contracts/streams.ts';
import { coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { type Pace, pauseAfter } from '../pace/pace.ts';
import { backoff, pause } from '../waiting/index.ts';
import type { Connection } from './connection.ts';
import type { Delivery } from './delivery.ts';
import { createPuller, type Puller, type PullResult } from './pull.ts';
import { reopening, within } from './waiting.ts';

/** A handler that runs longer is left behind: a process has 10 s to stop. */
export const stopLimitMs = 8_000;

/** A consumer of the stream, by its name with the prefix. */
export interface OpenConsumer {
  consumer: string;
  /** Called when the loop has left the consumer. */
  close?(): Promise<void>;
}

export interface PullLoopOptions<Open extends OpenConsumer> {
  connection: Connection;
  log: Logger;
  stream: StreamName;
  maxBatch: number;
  /** Requests the next batch while a batch is handled. Not for a shared consumer, whose messages others may handle. */
  readsAhead: boolean;
  /** The pause before a request ahead, unless a full batch waits. */
  pace?: Pace | undefined;
  /** Ensures that stream and consumer exist. */
  open(): Promise<Open>;
  /** Handles a batch, which is not empty. Returns whether the next one may come from this consumer. Never rejects. */
  handle(deliveries: Delivery[], open: Open): Promise<boolean>;
  /** Gets what arrived and is not handled. */
  giveBack(deliveries: Delivery[]): void;
}

export interface PullLoop {
  /** Requests no more messages and waits for the handler, up to `stopLimitMs`. Returns whether it has ended. */
  stop(): Promise<boolean>;
}

/**
 * Pulls batches of messages from one consumer and handles them one at a time, until it is stopped.
 *
 *   opening -> pulling -> handling -> pulling ... -> stopped
 *
 * opening: waits for the connection, then ensures that the consumer exists.
 * pulling: waits for one message, then requests the messages that the server has behind it, up to a batch.
 * handling: the handler has a batch.
 * stopped: the handler has ended, and what it did not get was given back.
 *
 * The loop returns to opening when the consumer is missing or sends no heartbeat, and when the handler returns false.
 * The pause before opening grows with each return, and is short again after a handled batch. The loop logs the first of
 * several errors of `open` in a row. The handler logs its own errors.
 */
export function startPullLoop<Open extends OpenConsumer>(options: PullLoopOptions<Open>): PullLoop {
  const { connection, log, stream, maxBatch, readsAhead, pace } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let puller: Puller | null = null;
  let failures = 0;
  let isFailureLogged = false;

  async function fill(puller: Puller, first: PullResult): Promise<PullResult> {
    const remaining = Math.min(maxBatch - first.deliveries.length, first.deliveries.at(-1)?.pending ?? 0);
    if (remaining <= 0 || first.end !== 'full' || signal.aborted) return first;
    const { deliveries, end } = await puller.more(remaining);
    return { deliveries: [...first.deliveries, ...deliveries], end };
  }

  function requestAhead(puller: Puller, { deliveries }: PullResult): Promise<PullResult> {
    const pending = deliveries.at(-1)?.pending ?? 0;
    const request = () => (pending > 0 ? puller.more(Math.min(maxBatch, pending)) : puller.next());
    const pauseMs = pace && pending < maxBatch ? pauseAfter(deliveries.length, pace) : 0;
    return pauseMs > 0 ? pause(pauseMs, signal).then(request) : request();
  }

  /** Returns when the consumer has to be opened again. */
  async function pullFrom(puller: Puller, open: Open): Promise<void> {
    let ahead: Promise<PullResult> | null = null;
    for (;;) {
      const batch = await fill(puller, await (ahead ?? puller.next()));
      if (signal.aborted) return options.giveBack(batch.deliveries);
      if (readsAhead) ahead = requestAhead(puller, batch);
      if (batch.deliveries.length > 0) {
        if (!(await options.handle(batch.deliveries, open))) return;
        failures = 0;
      }
      if (signal.aborted || batch.end === 'gone' || batch.end === 'lost') return;
    }
  }

  async function tryOpen(): Promise<Open | null> {
    try {
      await connection.connected(signal);
      const open = await options.open();
      isFailureLogged = false;
      return open;
    } catch (error) {
      if (signal.aborted || connection.nc.isClosed() || isFailureLogged) return null;
      isFailureLogged = true;
      log.warn({ err: coerceError(error) }, 'cannot reach the stream, retrying');
      return null;
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted && !connection.nc.isClosed()) {
      const open = await tryOpen();
      if (open !== null && !signal.aborted) {
        puller = createPuller(connection, stream, open.consumer);
        try {
          await pullFrom(puller, open);
        } finally {
          options.giveBack(await puller.close());
          puller = null;
        }
      }
      await open?.close?.();
      failures += 1;
      await pause(backoff(failures, reopening), signal);
    }
  }

  const running = run();
  running.catch((error: unknown) => log.error({ err: coerceError(error) }, 'a reader of a stream ended'));
  return {
    async stop() {
      stopping.abort();
      const closing = puller?.close().then(options.giveBack);
      return within(stopLimitMs, Promise.allSettled([running, closing]));
    },
  };
}
