import { z } from 'zod';
import { AppError, coerceError } from '../errors/index.ts';
import { Counter, metrics } from '../telemetry/index.ts';
import { backoff, pause } from '../waiting/index.ts';
import type { BusMessage, ConsumeBatchesOptions, ConsumeOptions, Consumption } from './bus.ts';
import type { Connection } from './connection.ts';
import type { Delivery } from './delivery.ts';
import { createPuller, type Puller } from './pull.ts';
import { defaultAckWaitMs, type Streams } from './streams.ts';
import { pollUntil, reopening, within } from './waiting.ts';

/**
 * A durable consumer at work. Each of its workers goes
 *
 *   opening -> pulling -> handling -> pulling ... -> stopped
 *
 * opening: there is no connection, or stream and durable are not known to exist; they are made if they are missing, and tried again with growing
 * pauses. pulling: asks for the next message and holds none. handling: holds what the handler works on, and tells the server so. A worker
 * leaves pulling for opening when the consumer is gone or silent. stopped: what it held unhandled has been given back.
 *
 * A worker asks only when it is free, so a message never waits in a process that is busy while another is idle.
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

/**
 * How long after a failure a message is given again. The first retries catch what passes by itself at once (a deadlock, a lost
 * connection), the later ones a database that restarts; a minute at most, so that an hour's outage is followed by work, not by waiting.
 */
const retry = { firstMs: 250, maxMs: 60_000 };
/** A handler that takes longer than this many acknowledgement waits hangs: the message goes to another. */
const maxWorkInAckWaits = 10;
const stopLimitMs = 8_000;

const deadLetterCounter = new Counter({
  name: 'yardarm_bus_dead_letters_total',
  help: 'Messages that a consumer could never handle; the log has each with its reason',
  labelNames: ['stream', 'durable'],
  registers: [metrics],
});

/** Handles messages one by one; `Bus.consume` says how. */
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

/** Handles messages in batches; `Bus.consumeBatches` says how. */
export function consumeBatches(
  connection: Connection,
  streams: Streams,
  options: ConsumeBatchesOptions,
  handler: (messages: BusMessage[]) => Promise<void>,
): Promise<Consumption> {
  const { stream, durable, filter, maxBatch } = options;
  const ackWaitMs = options.ackWaitMs ?? defaultAckWaitMs;
  // Room for ten replicas with a full batch each.
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
  /** Once for all workers. */
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
    const stopTelling = extendDeadline(deliveries, settings.ackWaitMs);
    try {
      await handler(deliveries.map(({ message }) => message));
      for (const delivery of deliveries) delivery.acknowledge();
    } catch (thrown) {
      if (isBadMessage(thrown) && deliveries.length > 1) {
        // One of them is bad, which one shows when each is alone.
        for (const delivery of deliveries) await handle([delivery]);
      } else if (isBadMessage(thrown)) {
        const [only] = deliveries;
        deadLetterCounter.inc({ stream, durable });
        log.error({ err: coerceError(thrown), ...nameOf(only) }, 'a message that can never be handled was set aside');
        only?.deadLetter();
      } else {
        log.error(
          { err: coerceError(thrown), ...nameOf(deliveries[0]), messages: deliveries.length },
          'a message could not be handled, it is given again',
        );
        for (const delivery of deliveries) delivery.nak(backoff(delivery.message.deliveryCount, retry));
      }
    } finally {
      stopTelling();
      handling -= 1;
    }
  };

  const takeFrom = async (puller: Puller, hasTaken: () => void): Promise<void> => {
    for (;;) {
      let { deliveries, end } = await puller.next();
      const room = Math.min(settings.maxBatch - deliveries.length, deliveries[0]?.pending ?? 0);
      if (room > 0 && end === 'full' && !signal.aborted) {
        const rest = await puller.more(room);
        deliveries = [...deliveries, ...rest.deliveries];
        end = rest.end;
      }
      if (signal.aborted) for (const delivery of deliveries) delivery.nak();
      else if (deliveries.length > 0) {
        hasTaken();
        await handle(deliveries);
      }
      if (signal.aborted || end === 'gone' || end === 'lost') return;
    }
  };

  const work = async (): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await connection.connected();
        await ensure();
      } catch (error) {
        if (signal.aborted || connection.nc.isClosed()) return;
        failures += 1;
        if (failures === 1) log.warn({ err: coerceError(error) }, 'cannot get at the stream, trying on');
        await pause(backoff(failures, reopening), signal);
        continue;
      }
      if (signal.aborted) return;
      const puller = createPuller(connection, connection.names.name(stream), connection.names.name(durable));
      pullers.add(puller);
      await takeFrom(puller, () => {
        failures = 0;
      });
      for (const delivery of await puller.close()) delivery.nak();
      pullers.delete(puller);
      failures += 1;
      await pause(backoff(failures, reopening), signal);
    }
  };

  // With a healthy server the consumer exists when this resolves; one that is not there yet is waited for in the background.
  await ensure().catch((error: unknown) =>
    log.warn({ err: coerceError(error) }, 'cannot get at the stream yet, trying on'),
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
          log.warn({ stopLimitMs }, 'a handler did not end in time; its message is given to another');
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

function nameOf(delivery: Delivery | undefined): object {
  if (!delivery) return {};
  const { subject, sequence, msgId, deliveryCount } = delivery.message;
  return { subject, sequence, msgId, deliveryCount };
}

/** Prolongs the acknowledgement wait while the handler works, up to a limit. */
function extendDeadline(deliveries: Delivery[], ackWaitMs: number): () => void {
  let told = 0;
  const timer = setInterval(() => {
    told += 1;
    if (told / 2 >= maxWorkInAckWaits) clearInterval(timer);
    for (const delivery of deliveries) delivery.atWork();
  }, ackWaitMs / 2);
  return () => clearInterval(timer);
}
