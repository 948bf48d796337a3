import { AppError, coerceError } from '../errors/index.ts';
import { pauseAfter } from '../pace/pace.ts';
import { backoff, pause } from '../waiting/index.ts';
import type { BusMessage, Reading, ReadOptions, StreamInfo } from './bus.ts';
import type { Connection } from './connection.ts';
import type { Delivery } from './delivery.ts';
import { unavailable } from './failures.ts';
import { createPuller } from './pull.ts';
import type { Streams } from './streams.ts';
import { pollUntil, reopening, within } from './waiting.ts';

/**
 * A reader in stream order whose position is the caller's.
 *
 *   opening -> pulling -> handling -> pulling ... -> stopped
 *
 * opening: the caller has been asked for its position, and a consumer without acknowledgements is made right behind it; a stream that is missing is
 * made first. pulling: waits for a message, then takes what is there up to the batch. handling: the handler has a batch, and the next one is on its
 * way; with a pace only when that is over, or when a full batch waits.
 * Anything out of the ordinary leads back to opening: the consumer is gone or silent, the server gave out a message that did not come (its
 * deliveries are numbered), or the handler threw; the caller's position decides anew. stopped: the handler has ended.
 *
 * A consumer belongs to one incarnation of the stream, because it dies with it; that it was made in the incarnation that the position was
 * compared with, a second look after its making tells.
 */
type Session = { incarnation: string; afterSequence: number; consumer: string; close(): Promise<void> };
const stopLimitMs = 8_000;

/** Reads in order; `Bus.read` says how. */
export function read(
  connection: Connection,
  streams: Streams,
  options: ReadOptions,
  handler: (batch: { incarnation: string; messages: BusMessage[] }) => Promise<void>,
): Reading {
  const { stream, maxBatch, pace } = options;
  const streamName = connection.names.name(stream);
  const log = connection.log.child({ stream, reader: true });
  const stopping = new AbortController();
  const { signal } = stopping;
  let interrupt = (): void => {};
  /** What has been handled; null until the first opening. */
  let position: { incarnation: string; sequence: number } | null = null;

  const open = async (): Promise<Session> => {
    await streams.ensure([stream]);
    const wanted = await options.from();
    const info = await streams.info(stream);
    let afterSequence = wanted.incarnation === info.incarnation ? wanted.afterSequence : 0;
    if (afterSequence > info.lastSequence) {
      // The server lost its newest messages in a crash and gives their sequences to others: waiting behind them would skip those.
      log.error(
        { afterSequence, lastSequence: info.lastSequence },
        'the stream ends before the position; reading it from its beginning',
      );
      afterSequence = 0;
    }
    const reader = await streams.openReader(stream, afterSequence);
    const now = await streams.info(stream);
    if (!reader || now.incarnation !== info.incarnation) {
      await reader?.close();
      throw unavailable(`The stream ${stream} was made anew while it was opened.`);
    }
    return { incarnation: info.incarnation, afterSequence, ...reader };
  };

  /** Ends when the session cannot go on; throws what the handler threw. */
  const readFrom = async (session: Session, hasHandled: () => void): Promise<void> => {
    const puller = createPuller(connection, streamName, session.consumer);
    interrupt = () => void puller.close();
    let lastDelivery = 0;
    const inTurn = (deliveries: Delivery[]): Delivery[] => {
      const lost = deliveries.findIndex(({ deliverySequence }, i) => deliverySequence !== lastDelivery + 1 + i);
      const good = lost === -1 ? deliveries : deliveries.slice(0, lost);
      lastDelivery += good.length;
      return good;
    };
    try {
      let asked = puller.next();
      for (;;) {
        const first = await asked;
        let deliveries = first.deliveries;
        let { end } = first;
        const room = Math.min(maxBatch - deliveries.length, deliveries.at(-1)?.pending ?? 0);
        if (room > 0 && end === 'full' && !signal.aborted) {
          const rest = await puller.more(room);
          deliveries = [...deliveries, ...rest.deliveries];
          end = rest.end;
        }
        if (signal.aborted) return;
        const good = inTurn(deliveries);
        const last = good.at(-1);
        const pending = last?.pending ?? 0;
        const ask = () => (pending > 0 ? puller.more(Math.min(maxBatch, pending)) : puller.next());
        // Before the handler, so that its database and this process work at once.
        const restMs = pace && pending < maxBatch ? pauseAfter(good.length, pace) : 0;
        asked = restMs > 0 ? pause(restMs, signal).then(ask) : ask();
        if (last) {
          await handler({ incarnation: session.incarnation, messages: good.map(({ message }) => message) });
          position = { incarnation: session.incarnation, sequence: last.message.sequence };
          hasHandled();
        }
        if (good.length < deliveries.length) {
          log.warn({ after: position }, 'a message was lost on its way; reading again from the position');
          return;
        }
        if (signal.aborted || end === 'gone' || end === 'lost') return;
      }
    } finally {
      await puller.close();
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      let session: Session | null = null;
      try {
        await connection.connected();
        session = await open();
        position = { incarnation: session.incarnation, sequence: session.afterSequence };
        if (signal.aborted) break;
        await readFrom(session, () => {
          failures = 0;
        });
        failures += 1;
        await pause(backoff(failures, reopening), signal);
      } catch (error) {
        if (signal.aborted || connection.nc.isClosed()) break;
        failures += 1;
        // A server that is away comes back by itself; anything else somebody has to look at.
        const level = error instanceof AppError && error.code === 'unavailable' ? 'warn' : 'error';
        if (session)
          log[level]({ err: coerceError(error), after: position }, 'a batch could not be handled, it is read again');
        else if (failures === 1) log.warn({ err: coerceError(error) }, 'cannot get at the stream, trying on');
        await pause(backoff(failures, reopening), signal);
      } finally {
        await session?.close();
      }
    }
  };
  const running = run();
  running.catch((error: unknown) => log.error({ err: coerceError(error) }, 'a reader ended'));

  let stopped: Promise<void> | null = null;
  /** Up to where the stream has been handled, counting what its limits have removed; 0 when nothing of this incarnation has been. */
  const handledOf = (info: StreamInfo): number => {
    const sequence = position?.incarnation === info.incarnation ? position.sequence : 0;
    return Math.max(sequence, info.firstSequence - 1);
  };
  return {
    async lag() {
      const info = await streams.info(stream);
      return Math.max(0, info.lastSequence - handledOf(info));
    },
    stop() {
      stopped ??= (async () => {
        stopping.abort();
        interrupt();
        if (!(await within(stopLimitMs, running))) {
          log.warn({ stopLimitMs }, 'the handler did not end in time; its batch is read again by whoever comes next');
        }
      })();
      return stopped;
    },
    async processAll() {
      const then = await streams.info(stream);
      await pollUntil(async () => {
        const now = await streams.info(stream);
        const target = now.incarnation === then.incarnation ? then.lastSequence : now.lastSequence;
        if (handledOf(now) < target) throw new Error(`read ${stream} up to ${handledOf(now)} of ${target}`);
      });
    },
  };
}
