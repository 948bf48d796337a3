import { z } from 'zod';
import { AppError, coerceError } from '../errors/index.ts';
import { Counter, metrics, tracer } from '../telemetry/index.ts';
import { backoff } from '../waiting/index.ts';
import type { BusMessage, ConsumeBatchesOptions, ConsumeOptions, Consumption } from './bus.ts';
import type { Connection } from './connection.ts';
import { measureConsumer } from './consumer-lag.ts';
import { defaultAckWaitMs } from './consumers.ts';
import type { Delivery } from './delivery.ts';
import { startPullLoop, stopLimitMs } from './pull-loop.ts';
import { traceHandling } from './spans.ts';
import type { Streams } from './streams.ts';
import { pollUntil } from './waiting.ts';

/**
 * A durable consumer. Each of its workers is a loop (pull-loop.ts) that ensures the durable, owns the messages that it
 * handles and extends their acknowledgement wait, and returns those that it does not handle to the server.
 *
 * A worker requests messages only when it is free, so no message waits in a busy process while another process is idle.
 */
type Settings = ConsumeOptions & { maxBatch: number };

/** The first delays suit a deadlock or a lost connection, the later ones a database restart. 1 min limits the wait. */
const retry = { firstMs: 250, maxMs: 60_000 };
/** After this many acknowledgement waits a handler counts as hung, and the server redelivers its messages. */
const maxExtendedAckWaits = 10;

const deadLetterCounter = new Counter({
  name: 'yardarm_bus_dead_letters_total',
  help: 'Messages that a consumer could never handle; the log has each with its reason',
  labelNames: ['stream', 'durable'],
  registers: [metrics],
});

/** Implements `Bus.consume`. */
export function consume(
  connection: Connection,
  streams: Streams,
  options: ConsumeOptions,
  handler: (message: BusMessage) => Promise<void>,
): Promise<Consumption> {
  return start(connection, streams, { ...options, maxBatch: 1 }, ([message]) => handler(message as BusMessage));
}

/** Implements `Bus.consumeBatches`. */
export function consumeBatches(
  connection: Connection,
  streams: Streams,
  options: ConsumeBatchesOptions,
  handler: (messages: BusMessage[]) => Promise<void>,
): Promise<Consumption> {
  // Enough for ten replicas with a full batch each.
  const maxAckPending = Math.max(1_000, 10 * options.maxBatch);
  return start(connection, streams, { ...options, maxAckPending }, handler);
}

async function start(
  connection: Connection,
  streams: Streams,
  settings: Settings,
  handler: (messages: BusMessage[]) => Promise<void>,
): Promise<Consumption> {
  const { stream, durable, maxBatch, concurrency = 1, ackWaitMs = defaultAckWaitMs } = settings;
  const log = connection.log.child({ stream, durable });
  let handling = 0;
  // From 0 on, so that an increase shows the first one.
  deadLetterCounter.inc({ stream, durable }, 0);

  let opening: Promise<void> | null = null;
  /** All workers share one run. */
  const ensure = (): Promise<void> => {
    opening ??= (async () => {
      await streams.ensure([stream]);
      await streams.ensureDurable(settings);
    })().finally(() => {
      opening = null;
    });
    return opening;
  };

  const handle = async (deliveries: Delivery[]): Promise<void> => {
    handling += 1;
    const stopExtending = extendAckWait(deliveries, ackWaitMs);
    try {
      const messages = deliveries.map(({ message }) => message);
      if (tracer === null) await handler(messages);
      else await traceHandling(tracer, { stream, durable }, messages, () => handler(messages));
      for (const delivery of deliveries) delivery.acknowledge();
    } catch (thrown) {
      if (isBadMessage(thrown) && deliveries.length > 1) {
        // Handles each message alone to find the bad one.
        for (const delivery of deliveries) await handle([delivery]);
      } else if (isBadMessage(thrown)) {
        const [only] = deliveries;
        deadLetterCounter.inc({ stream, durable });
        log.error(
          { err: coerceError(thrown), ...logFields(only) },
          'a message can never be handled: it is a dead letter',
        );
        only?.deadLetter();
      } else {
        log.error(
          { err: coerceError(thrown), ...logFields(deliveries[0]), messages: deliveries.length },
          'a message could not be handled; it will be redelivered',
        );
        for (const delivery of deliveries) delivery.nak(backoff(delivery.message.deliveryCount, retry));
      }
    } finally {
      stopExtending();
      handling -= 1;
    }
  };

  // With a healthy server the consumer exists when this resolves. Otherwise the workers retry in the background.
  await ensure().catch((error: unknown) =>
    log.warn({ err: coerceError(error) }, 'cannot reach the stream yet, retrying'),
  );
  const workers = Array.from({ length: concurrency }, () =>
    startPullLoop({
      ...{ connection, log, stream, maxBatch, readsAhead: false },
      async open() {
        await ensure();
        return { consumer: connection.names.name(durable) };
      },
      async handle(deliveries) {
        await handle(deliveries);
        return true;
      },
      giveBack(deliveries) {
        for (const delivery of deliveries) delivery.nak();
      },
    }),
  );

  const info = () => streams.durableInfo(stream, durable);
  const lag = async (): Promise<number> => {
    const { num_pending, num_ack_pending } = await info();
    return num_pending + num_ack_pending;
  };
  const stopMeasuring = measureConsumer(stream, durable, lag);
  return {
    lag,
    async stop() {
      stopMeasuring();
      const ended = await Promise.all(workers.map((worker) => worker.stop()));
      if (ended.includes(false)) {
        log.warn({ stopLimitMs }, 'a handler did not finish in time; its messages will be redelivered');
      }
    },
    processAll: () =>
      pollUntil(async () => {
        const { num_pending, num_ack_pending, num_waiting, delivered } = await info();
        if (num_pending === 0 && num_ack_pending === 0 && handling === 0) return;
        const waiting = `${num_pending} messages wait after ${delivered.stream_seq}, ${num_waiting} requests are open`;
        throw new Error(`${durable}: ${waiting}, ${num_ack_pending} are delivered, ${handling} are being handled`);
      }),
  };
}

function isBadMessage(thrown: unknown): boolean {
  if (thrown instanceof AppError) return thrown.code === 'validation' || thrown.code === 'bad-data';
  return thrown instanceof z.core.$ZodError;
}

function logFields(delivery: Delivery | undefined): object {
  if (!delivery) return {};
  const { subject, sequence, msgId, deliveryCount } = delivery.message;
  return { subject, sequence, msgId, deliveryCount };
}

/** Extends the acknowledgement wait while the handler runs, up to a limit. Returns the function that ends this. */
function extendAckWait(deliveries: Delivery[], ackWaitMs: number): () => void {
  let extensions = 0;
  const timer = setInterval(() => {
    extensions += 1;
    if (extensions / 2 >= maxExtendedAckWaits) clearInterval(timer);
    for (const delivery of deliveries) delivery.extendAckWait();
  }, ackWaitMs / 2);
  return () => clearInterval(timer);
}
