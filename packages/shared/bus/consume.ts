import { z } from 'zod';
import { AppError, coerceError } from '../errors/index.ts';
import { Counter, metrics } from '../telemetry/index.ts';
import { backoff, pause } from '../waiting/index.ts';
import type { BusMessage, ConsumeBatchesOptions, ConsumeOptions, Consumption } from './bus.ts';
import type { Connection } from './connection.ts';
import { defaultAckWaitMs } from './consumers.ts';
import type { Delivery } from './delivery.ts';
import { createPuller, type Puller } from './pull.ts';
import type { Streams } from './streams.ts';
import { pollUntil, reopening, within } from './waiting.ts';

/**
 * A durable consumer. Each of its workers has these states:
 *
 *   opening -> pulling -> handling -> pulling ... -> stopped
 *
 * opening: waits for the connection and ensures that stream and durable exist, with a growing pause after each failure.
 * pulling: owns no message and waits for one. Without the consumer or its heartbeats it returns to opening.
 * handling: owns the messages of the handler and extends their acknowledgement wait.
 * stopped: its unhandled messages were returned to the server.
 *
 * A worker requests messages only when it is free, so no message waits in a busy process while another process is idle.
 */
interface Settings {
  stream: ConsumeOptions['stream'];
  durable: string;
  filter: string | undefined;
  ackWaitMs: number;
  maxAckPending: number | undefined;
  workers: number;
  maxBatch: number;
}

/** The first delays suit a deadlock or a lost connection, the later ones a database restart. 1 min limits the wait. */
const retry = { firstMs: 250, maxMs: 60_000 };
/** After this many acknowledgement waits a handler counts as hung, and the server redelivers its messages. */
const maxExtendedAckWaits = 10;
const stopLimitMs = 8_000;

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
  const { stream, durable, filter, maxAckPending } = options;
  const ackWaitMs = options.ackWaitMs ?? defaultAckWaitMs;
  const settings = {
    stream,
    durable,
    filter,
    maxAckPending,
    ackWaitMs,
    workers: options.concurrency ?? 1,
    maxBatch: 1,
  };
  return start(connection, streams, settings, ([message]) => handler(message as BusMessage));
}

/** Implements `Bus.consumeBatches`. */
export function consumeBatches(
  connection: Connection,
  streams: Streams,
  options: ConsumeBatchesOptions,
  handler: (messages: BusMessage[]) => Promise<void>,
): Promise<Consumption> {
  const { stream, durable, filter, maxBatch } = options;
  const ackWaitMs = options.ackWaitMs ?? defaultAckWaitMs;
  // Enough for ten replicas with a full batch each.
  const settings = {
    stream,
    durable,
    filter,
    maxAckPending: Math.max(1_000, 10 * maxBatch),
    ackWaitMs,
    workers: 1,
    maxBatch,
  };
  return start(connection, streams, settings, handler);
}

async function start(
  connection: Connection,
  streams: Streams,
  settings: Settings,
  handler: (messages: BusMessage[]) => Promise<void>,
): Promise<Consumption> {
  const { stream, durable } = settings;
  const log = connection.log.child({ stream, durable });
  const stopping = new AbortController();
  const { signal } = stopping;
  const pullers = new Set<Puller>();
  let handling = 0;

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
    const stopExtending = extendAckWait(deliveries, settings.ackWaitMs);
    try {
      await handler(deliveries.map(({ message }) => message));
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

  const pullFrom = async (puller: Puller, onMessages: () => void): Promise<void> => {
    for (;;) {
      let { deliveries, end } = await puller.next();
      const remaining = Math.min(settings.maxBatch - deliveries.length, deliveries[0]?.pending ?? 0);
      if (remaining > 0 && end === 'full' && !signal.aborted) {
        const rest = await puller.more(remaining);
        deliveries = [...deliveries, ...rest.deliveries];
        end = rest.end;
      }
      if (signal.aborted) for (const delivery of deliveries) delivery.nak();
      else if (deliveries.length > 0) {
        onMessages();
        await handle(deliveries);
      }
      if (signal.aborted || end === 'gone' || end === 'lost') return;
    }
  };

  const work = async (): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await connection.connected(signal);
        await ensure();
      } catch (error) {
        if (signal.aborted || connection.nc.isClosed()) return;
        failures += 1;
        if (failures === 1) log.warn({ err: coerceError(error) }, 'cannot reach the stream, retrying');
        await pause(backoff(failures, reopening), signal);
        continue;
      }
      if (signal.aborted) return;
      const puller = createPuller(connection, stream, connection.names.name(durable));
      pullers.add(puller);
      await pullFrom(puller, () => {
        failures = 0;
      });
      for (const delivery of await puller.close()) delivery.nak();
      pullers.delete(puller);
      failures += 1;
      await pause(backoff(failures, reopening), signal);
    }
  };

  // With a healthy server the consumer exists when this resolves. Otherwise the workers retry in the background.
  await ensure().catch((error: unknown) =>
    log.warn({ err: coerceError(error) }, 'cannot reach the stream yet, retrying'),
  );
  const workers = Array.from({ length: settings.workers }, () => work());
  for (const worker of workers)
    worker.catch((error: unknown) => log.error({ err: coerceError(error) }, 'a worker ended'));

  let stopped: Promise<void> | null = null;
  const lag = async (): Promise<number> => {
    const info = await streams.durableInfo(stream, durable);
    return info.num_pending + info.num_ack_pending;
  };
  return {
    lag,
    stop() {
      stopped ??= (async () => {
        stopping.abort();
        const left = await Promise.all([...pullers].map((puller) => puller.close()));
        for (const delivery of left.flat()) delivery.nak();
        if (!(await within(stopLimitMs, Promise.allSettled(workers)))) {
          log.warn({ stopLimitMs }, 'a handler did not finish in time; its messages will be redelivered');
        }
      })();
      return stopped;
    },
    processAll: () =>
      pollUntil(async () => {
        const waiting = await lag();
        if (waiting > 0 || handling > 0)
          throw new Error(`${durable}: ${waiting} messages wait, ${handling} are being handled`);
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
