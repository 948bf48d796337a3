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
 * A reader in stream order. The caller stores its position.
 *
 *   opening -> pulling -> handling -> pulling ... -> stopped
 *
 * opening: ensures that the stream exists and creates a consumer without acknowledgements at the caller's position.
 * pulling: waits for a message, then requests the messages that are available, up to a batch.
 * handling: the handler has a batch; the next one is requested, after the pause of the pace unless a full one waits.
 * stopped: the handler has ended.
 *
 * The reader returns to opening when the consumer is missing or sends no heartbeat, when a gap in the delivery numbers
 * shows that a message was lost, or when the handler threw.
 *
 * A consumer is deleted with its stream, so it belongs to one incarnation. Opening reads the incarnation before and
 * after the creation, so that the consumer belongs to the incarnation that the position was compared with.
 */
type Session = { incarnation: string; afterSequence: number; consumer: string; close(): Promise<void> };
const stopLimitMs = 8_000;

/** Implements `Bus.read`. */
export function read(
  connection: Connection,
  streams: Streams,
  options: ReadOptions,
  handler: (batch: { incarnation: string; messages: BusMessage[] }) => Promise<void>,
): Reading {
  const { stream, filter, maxBatch, pace } = options;
  const log = connection.log.child({ stream, filter, reader: true });
  const stopping = new AbortController();
  const { signal } = stopping;
  let interrupt = (): void => {};
  /** The last handled message; null until the first opening. */
  let position: { incarnation: string; sequence: number } | null = null;
  /** The open consumer, and how many of its deliveries are handled. */
  let current: { consumer: string; handled: number } | null = null;

  const open = async (): Promise<Session> => {
    await streams.ensure([stream]);
    const expected = await options.from();
    const info = await streams.info(stream);
    let afterSequence = expected.incarnation === info.incarnation ? expected.afterSequence : 0;
    if (afterSequence > info.lastSequence) {
      // The server lost its newest messages in a crash and uses their sequences again. Reading on would skip those.
      log.error(
        { afterSequence, lastSequence: info.lastSequence },
        'the stream ends before the position; reading it from its beginning',
      );
      afterSequence = 0;
    }
    const reader = await streams.openReader(stream, afterSequence, filter);
    const now = await streams.info(stream);
    if (!reader || now.incarnation !== info.incarnation) {
      await reader?.close();
      throw unavailable(`The stream ${stream} was recreated while it was opened.`);
    }
    return { incarnation: info.incarnation, afterSequence, ...reader };
  };

  /** Returns when the consumer has to be opened again. Throws the error of the handler. */
  const readFrom = async (session: Session, onHandled: () => void): Promise<void> => {
    const puller = createPuller(connection, stream, session.consumer);
    interrupt = () => void puller.close();
    let lastDelivery = 0;
    const untilGap = (deliveries: Delivery[]): Delivery[] => {
      const gap = deliveries.findIndex(({ deliverySequence }, i) => deliverySequence !== lastDelivery + 1 + i);
      const complete = gap === -1 ? deliveries : deliveries.slice(0, gap);
      lastDelivery += complete.length;
      return complete;
    };
    try {
      let nextPull = puller.next();
      for (;;) {
        const first = await nextPull;
        let deliveries = first.deliveries;
        let { end } = first;
        const remaining = Math.min(maxBatch - deliveries.length, deliveries.at(-1)?.pending ?? 0);
        if (remaining > 0 && end === 'full' && !signal.aborted) {
          const rest = await puller.more(remaining);
          deliveries = [...deliveries, ...rest.deliveries];
          end = rest.end;
        }
        if (signal.aborted) return;
        const complete = untilGap(deliveries);
        const last = complete.at(-1);
        const pending = last?.pending ?? 0;
        const pull = () => (pending > 0 ? puller.more(Math.min(maxBatch, pending)) : puller.next());
        // Requested before the handler runs, so that the next batch arrives meanwhile.
        const pauseMs = pace && pending < maxBatch ? pauseAfter(complete.length, pace) : 0;
        nextPull = pauseMs > 0 ? pause(pauseMs, signal).then(pull) : pull();
        if (last) {
          await handler({ incarnation: session.incarnation, messages: complete.map(({ message }) => message) });
          position = { incarnation: session.incarnation, sequence: last.message.sequence };
          current = { consumer: session.consumer, handled: last.deliverySequence };
          onHandled();
        }
        if (complete.length < deliveries.length) {
          log.warn({ after: position }, 'a message was lost in transit; reading again from the position');
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
        await connection.connected(signal);
        session = await open();
        position = { incarnation: session.incarnation, sequence: session.afterSequence };
        current = { consumer: session.consumer, handled: 0 };
        if (signal.aborted) break;
        await readFrom(session, () => {
          failures = 0;
        });
        failures += 1;
        await pause(backoff(failures, reopening), signal);
      } catch (error) {
        if (signal.aborted || connection.nc.isClosed()) break;
        failures += 1;
        // A missing server returns by itself. Any other error needs an operator.
        const level = error instanceof AppError && error.code === 'unavailable' ? 'warn' : 'error';
        if (session)
          log[level]({ err: coerceError(error), after: position }, 'a batch could not be handled; it is read again');
        else if (failures === 1) log.warn({ err: coerceError(error) }, 'cannot reach the stream, retrying');
        await pause(backoff(failures, reopening), signal);
      } finally {
        current = null;
        await session?.close();
      }
    }
  };
  const running = run();
  running.catch((error: unknown) => log.error({ err: coerceError(error) }, 'a reader ended'));

  let stopped: Promise<void> | null = null;
  /** The last handled sequence of this incarnation, or 0. Messages that limits have removed count as handled. */
  const handledOf = (info: StreamInfo): number => {
    const sequence = position?.incarnation === info.incarnation ? position.sequence : 0;
    return Math.max(sequence, info.firstSequence - 1);
  };
  return {
    async lag() {
      if (filter !== undefined) {
        // Sequences do not count the messages of a subject; the deliveries of its consumer do.
        if (current === null) throw unavailable(`The reader of ${stream} is not open.`);
        const { consumer, handled } = current;
        return Math.max(0, (await streams.countOfReader(stream, consumer)) - handled);
      }
      const info = await streams.info(stream);
      return Math.max(0, info.lastSequence - handledOf(info));
    },
    stop() {
      stopped ??= (async () => {
        stopping.abort();
        interrupt();
        if (!(await within(stopLimitMs, running))) {
          log.warn({ stopLimitMs }, 'the handler did not finish in time; its batch will be read again');
        }
      })();
      return stopped;
    },
    async processAll() {
      const then = await streams.info(stream);
      await pollUntil(async () => {
        const now = await streams.info(stream);
        const last = now.incarnation === then.incarnation ? then.lastSequence : now.lastSequence;
        // What matched the filter last may have come later than the call. It is handled soon, too.
        const target = filter === undefined ? last : await streams.lastSequence(stream, filter);
        if (handledOf(now) < target) throw new Error(`read ${stream} up to ${handledOf(now)} of ${target}`);
      });
    },
  };
}
