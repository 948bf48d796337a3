import { AppError, coerceError } from '../errors/index.ts';
import { tracer } from '../telemetry/index.ts';
import type { BusMessage, Reading, ReadOptions } from './bus.ts';
import type { Connection } from './connection.ts';
import type { Delivery } from './delivery.ts';
import { unavailable } from './failures.ts';
import { type OpenConsumer, startPullLoop, stopLimitMs } from './pull-loop.ts';
import { traceHandling } from './spans.ts';
import { beginning, countBehind, handledIn, isBeyondEnd, sequenceIn } from './stream-position.ts';
import type { Streams } from './streams.ts';
import { pollUntil } from './waiting.ts';

/**
 * A reader in stream order. The caller stores its position. The reader is a loop (pull-loop.ts):
 *
 * opening: ensures that the stream exists and creates a consumer without acknowledgements at the caller's position.
 * handling: the handler has a batch. The next one is requested, after the pause of the pace unless a full one waits.
 *
 * The reader returns to opening also when a gap in the delivery numbers shows that a message was lost, and when the
 * handler threw.
 *
 * A consumer is deleted with its stream, so it belongs to one incarnation. Opening reads the incarnation before and
 * after the creation, so that the consumer belongs to the incarnation that the position was compared with.
 */
interface Session extends OpenConsumer {
  incarnation: string;
  /** How many deliveries of the consumer are handled. */
  handled: number;
}

/** Implements `Bus.read`. */
export function read(
  connection: Connection,
  streams: Streams,
  options: ReadOptions,
  handler: (batch: { incarnation: string; messages: BusMessage[] }) => Promise<void>,
): Reading {
  const { stream, filter, maxBatch, pace } = options;
  const log = connection.log.child({ stream, filter, reader: true });
  /** What the handler has handled. */
  let position = beginning;
  /** Null while the reader opens. */
  let session: Session | null = null;
  let isStopped = false;

  const open = async (): Promise<Session> => {
    await streams.ensure([stream]);
    const expected = await options.from();
    const info = await streams.info(stream);
    const afterSequence = sequenceIn(expected, info);
    if (isBeyondEnd(expected, info)) {
      log.error(
        { afterSequence: expected.lastSequence, lastSequence: info.lastSequence },
        'the stream ends before the position; reading it from its beginning',
      );
    }
    const reader = await streams.openReader(options, afterSequence);
    const now = await streams.info(stream);
    if (!reader || now.incarnation !== info.incarnation) {
      await reader?.close();
      throw unavailable(`The stream ${stream} was recreated while it was opened.`);
    }
    position = { incarnation: info.incarnation, lastSequence: afterSequence };
    const close = async () => {
      session = null;
      await reader.close();
    };
    session = { incarnation: info.incarnation, consumer: reader.consumer, handled: 0, close };
    return session;
  };

  const handle = async (deliveries: Delivery[], open: Session): Promise<boolean> => {
    const gap = deliveries.findIndex(({ deliverySequence }, i) => deliverySequence !== open.handled + 1 + i);
    const complete = gap === -1 ? deliveries : deliveries.slice(0, gap);
    const last = complete.at(-1);
    if (last) {
      try {
        const batch = { incarnation: open.incarnation, messages: complete.map(({ message }) => message) };
        if (tracer === null) await handler(batch);
        else await traceHandling(tracer, { stream }, batch.messages, () => handler(batch));
      } catch (error) {
        // The handler may end early because it is stopped.
        if (isStopped || connection.nc.isClosed()) return false;
        // A missing server returns by itself. Any other error needs an operator.
        const level = error instanceof AppError && error.code === 'unavailable' ? 'warn' : 'error';
        log[level]({ err: coerceError(error), after: position }, 'a batch could not be handled; it is read again');
        return false;
      }
      position = { incarnation: open.incarnation, lastSequence: last.message.sequence };
      open.handled = last.deliverySequence;
    }
    if (gap !== -1) log.warn({ after: position }, 'a message was lost in transit; reading again from the position');
    return gap === -1;
  };

  const loop = startPullLoop({
    ...{ connection, log, stream, maxBatch, pace, readsAhead: true, open, handle },
    // The position is before them.
    giveBack() {},
  });
  return {
    async lag() {
      if (filter !== undefined) {
        // Sequences do not count the messages of a subject; the deliveries of its consumer do.
        if (session === null) throw unavailable(`The reader of ${stream} is not open.`);
        const { consumer, handled } = session;
        return Math.max(0, (await streams.countOfReader(stream, consumer)) - handled);
      }
      const at = position;
      return countBehind(at, await streams.info(stream));
    },
    async stop() {
      isStopped = true;
      if (!(await loop.stop())) {
        log.warn({ stopLimitMs }, 'the handler did not finish in time; its batch will be read again');
      }
    },
    async processAll() {
      const then = await streams.info(stream);
      await pollUntil(async () => {
        const at = position;
        const now = await streams.info(stream);
        const last = now.incarnation === then.incarnation ? then.lastSequence : now.lastSequence;
        // What matched the filter last may have come later than the call. It is handled soon, too.
        const target = filter === undefined ? last : await streams.lastSequence(stream, filter);
        const handled = handledIn(at, now);
        if (handled < target) throw new Error(`read ${stream} up to ${handled} of ${target}`);
      });
    },
  };
}
