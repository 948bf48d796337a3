import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  type StreamInfo as ServerStreamInfo,
  StorageType,
} from '@nats-io/jetstream';
import { nanos, nuid } from '@nats-io/transport-node';
import { streams as contracts, type StreamName } from '../contracts/streams.ts';
import { AppError, coerceError } from '../errors/index.ts';
import type { ConsumeOptions, StreamInfo } from './bus.ts';
import type { Connection } from './connection.ts';
import { failureOf, unavailable } from './failures.ts';

/** The only place where streams and durables are made. */
export interface Streams {
  ensure(names: readonly StreamName[]): Promise<void>;
  info(name: StreamName): Promise<StreamInfo>;
  /** Makes the durable, or brings it to its configuration without touching its position. */
  ensureDurable(
    options: Pick<ConsumeOptions, 'stream' | 'durable' | 'filter' | 'ackWaitMs' | 'maxAckPending'>,
  ): Promise<void>;
  durableInfo(stream: StreamName, durable: string): Promise<ConsumerInfo>;
  /** Makes a consumer of this process alone, without acknowledgements, that begins behind the sequence; null when there is no such stream. */
  openReader(stream: StreamName, afterSequence: number): Promise<{ consumer: string; close(): Promise<void> } | null>;
  onRecreated(name: StreamName, listener: (incarnation: string) => void): () => void;
  stop(): void;
}

/** Duplicates are dropped by `Nats-Msg-Id` within it: the server's default, larger ones cost memory. Beyond it the inboxes see to it. */
const duplicateWindowMs = 2 * 60_000;
const dayMs = 24 * 60 * 60_000;
/** A stream that is gone is noticed after this; ten streams asked about by six services are two questions a second. */
const lookIntervalMs = 5_000;
/** Longer than any handler takes; it is prolonged while one works, and only waited out when a replica dies. */
export const defaultAckWaitMs = 30_000;
/** The server's own default. */
const defaultMaxAckPending = 1_000;
/** The server removes a reader's consumer that nobody has pulled from for so long: longer than any batch takes to handle. */
const readerInactiveMs = 5 * 60_000;

export async function createStreams(connection: Connection): Promise<Streams> {
  const { nc, names, log } = connection;
  const jsm = await jetstreamManager(nc, { checkAPI: false });
  /** What this process relies on: it is made again when it is gone. */
  const kept = new Set<StreamName>();
  const incarnations = new Map<StreamName, string>();
  const listeners = new Map<StreamName, Set<(incarnation: string) => void>>();

  /** Runs a request to JetStream and puts whatever goes wrong into our errors; null when what is asked for does not exist. */
  const ask = async <T>(what: string, run: () => Promise<T>): Promise<T | null> => {
    connection.requireConnected();
    try {
      return await connection.whileConnected(run());
    } catch (error) {
      if (isNotFound(error)) return null;
      if (error instanceof AppError) throw error;
      const reason = failureOf(error) === 'other' ? coerceError(error).message : 'JetStream does not answer';
      throw unavailable(`${what}: ${reason}.`, error);
    }
  };

  const see = (name: StreamName, info: ServerStreamInfo): StreamInfo => {
    const incarnation = info.created;
    const before = incarnations.get(name);
    incarnations.set(name, incarnation);
    if (before !== undefined && before !== incarnation) {
      log.error(
        { stream: name, before, incarnation },
        'a stream is another one than before: its storage was lost or it was deleted',
      );
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          listener(incarnation);
        } catch (error) {
          log.error({ err: coerceError(error), stream: name }, 'a listener for new streams failed');
        }
      }
    }
    const { first_seq: firstSequence, last_seq: lastSequence, messages } = info.state;
    return { incarnation, firstSequence, lastSequence, messages };
  };

  const findStream = (name: StreamName) => ask(`The stream ${name}`, () => jsm.streams.info(names.name(name)));

  const ensureOne = async (name: StreamName): Promise<void> => {
    const wanted = {
      subjects: contracts[name].subjects.map((subject) => names.subject(subject)),
      max_age: nanos(contracts[name].maxAgeDays * dayMs),
      duplicate_window: nanos(duplicateWindowMs),
    };
    const create = () =>
      jsm.streams.add({
        ...wanted,
        name: names.name(name),
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        num_replicas: connection.replicas ?? 1,
      });
    let info = await findStream(name);
    if (!info) {
      // Of ten replicas that get here at once one makes it, and the others are told the same; one of another version is told that the
      // name is taken, and brings it to its own configuration below.
      info = await ask(`The stream ${name}`, create).catch(async (error: unknown) => {
        const made = await findStream(name);
        if (!made) throw error;
        return made;
      });
      if (!info) throw unavailable(`The stream ${name} cannot be made now.`);
    }
    const isAsConfigured =
      JSON.stringify([...info.config.subjects].sort()) === JSON.stringify([...wanted.subjects].sort()) &&
      info.config.max_age === wanted.max_age &&
      info.config.duplicate_window === wanted.duplicate_window &&
      (connection.replicas === undefined || info.config.num_replicas === connection.replicas);
    if (!isAsConfigured) {
      const replicas = connection.replicas === undefined ? {} : { num_replicas: connection.replicas };
      // Storage and retention are not among what is updated: the server would have to make another stream of it.
      const change = () => jsm.streams.update(names.name(name), { ...wanted, ...replicas });
      info = (await ask(`The stream ${name} cannot be brought to its configuration`, change)) ?? info;
    }
    see(name, info);
  };

  const look = async (): Promise<void> => {
    for (const name of new Set([...kept, ...listeners.keys()])) {
      if (!connection.isConnected() || nc.isClosed()) return;
      try {
        const info = await findStream(name);
        if (info) see(name, info);
        else if (kept.has(name)) await ensureOne(name);
      } catch (error) {
        // Looked for again in five seconds; whoever needs it meanwhile is told the reason by its own request.
        log.debug({ err: coerceError(error), stream: name }, 'a stream could not be looked at');
      }
    }
  };
  let isLooking = false;
  const lookOnce = (): void => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => log.error({ err: coerceError(error) }, 'the streams could not be looked at'))
      .finally(() => {
        isLooking = false;
      });
  };
  const timer = setInterval(lookOnce, lookIntervalMs);
  timer.unref();
  const stopListening = connection.onStatus((connected) => connected && lookOnce());

  return {
    async ensure(wanted) {
      for (const name of wanted) {
        kept.add(name);
        await ensureOne(name);
      }
    },
    async info(name) {
      const info = await findStream(name);
      if (!info) throw unavailable(`The stream ${name} does not exist.`);
      return see(name, info);
    },
    async ensureDurable(options) {
      const stream = names.name(options.stream);
      const durable = names.name(options.durable);
      const wanted = {
        ack_wait: nanos(options.ackWaitMs ?? defaultAckWaitMs),
        max_ack_pending: options.maxAckPending ?? defaultMaxAckPending,
        ...(options.filter === undefined ? {} : { filter_subject: names.subject(options.filter) }),
      } satisfies Partial<ConsumerConfig>;
      const what = `The consumer ${options.durable} of ${options.stream}`;
      // Asked for first: a creation that the server rejects may cost an existing consumer its position
      // (https://github.com/nats-io/nats-server/pull/8491).
      const find = () => ask(what, () => jsm.consumers.info(stream, durable));
      let found = await find();
      if (!found) {
        const config = {
          ...wanted,
          durable_name: durable,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          max_deliver: -1,
        };
        found = await ask(what, () => jsm.consumers.add(stream, config)).catch(async (error: unknown) => {
          const made = await find();
          if (!made) throw error;
          return made;
        });
        if (!found) throw unavailable(`The stream ${options.stream} does not exist.`);
      }
      const { config } = found;
      const isAsConfigured =
        config.ack_wait === wanted.ack_wait &&
        config.max_ack_pending === wanted.max_ack_pending &&
        (config.filter_subject ?? '') === (wanted.filter_subject ?? '');
      if (!isAsConfigured)
        await ask(what, () => jsm.consumers.update(stream, durable, { filter_subject: undefined, ...wanted }));
    },
    async durableInfo(stream, durable) {
      const info = await ask(`The consumer ${durable} of ${stream}`, () =>
        jsm.consumers.info(names.name(stream), names.name(durable)),
      );
      if (!info) throw unavailable(`The consumer ${durable} of ${stream} does not exist.`);
      return info;
    },
    async openReader(stream, afterSequence) {
      const from =
        afterSequence === 0
          ? { deliver_policy: DeliverPolicy.All }
          : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: afterSequence + 1 };
      const config = {
        ...from,
        name: `reader-${nuid.next()}`,
        ack_policy: AckPolicy.None,
        inactive_threshold: nanos(readerInactiveMs),
        // Its position is the caller's: nothing of it has to outlive the server.
        mem_storage: true,
        num_replicas: 1,
      };
      const made = await ask(`A reader of ${stream}`, () => jsm.consumers.add(names.name(stream), config));
      if (!made) return null;
      return {
        consumer: made.name,
        async close() {
          if (!connection.isConnected() || nc.isClosed()) return;
          // One that stays is removed by the server.
          await connection.whileConnected(jsm.consumers.delete(names.name(stream), made.name)).catch(() => {});
        },
      };
    },
    onRecreated(name, listener) {
      const ofName = listeners.get(name) ?? new Set();
      listeners.set(name, ofName.add(listener));
      lookOnce();
      return () => ofName.delete(listener);
    },
    stop() {
      clearInterval(timer);
      stopListening();
    },
  };
}

function isNotFound(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false;
  return error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound;
}
