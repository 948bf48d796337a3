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
import { ConfigError } from '../config/index.ts';
import { streams as contracts, type StreamName } from '../contracts/streams.ts';
import { AppError, coerceError } from '../errors/index.ts';
import { pause } from '../waiting/index.ts';
import type { BusMessage, ConsumeOptions, ReadOptions, StreamInfo } from './bus.ts';
import type { Connection } from './connection.ts';
import { readMessage } from './delivery.ts';
import { failureOf, unavailable } from './failures.ts';
import {
  claimPollMs,
  claimSettleMs,
  claimWaitMs,
  describeSystem,
  OtherSystemError,
  type SystemClaim,
  systemIn,
} from './system-claim.ts';

/** The only code that creates streams and durables. */
export interface Streams {
  ensure(names: readonly StreamName[]): Promise<void>;
  info(name: StreamName): Promise<StreamInfo>;
  /** The sequence of the last message that matches the filter; 0 without one. */
  lastSequence(name: StreamName, filter: string): Promise<number>;
  /** Null without a message that has the sequence. */
  getMessage(name: StreamName, sequence: number): Promise<BusMessage | null>;
  /** Creates the durable, or updates its configuration and keeps its position. */
  ensureDurable(
    options: Pick<ConsumeOptions, 'stream' | 'durable' | 'filter' | 'ackWaitMs' | 'maxAckPending'>,
  ): Promise<void>;
  durableInfo(stream: StreamName, durable: string): Promise<ConsumerInfo>;
  /** Creates a consumer without acknowledgements that begins after the sequence. Null without the stream. */
  openReader(
    options: Pick<ReadOptions, 'stream' | 'filter' | 'headersOnly'>,
    afterSequence: number,
  ): Promise<{ consumer: string; close(): Promise<void> } | null>;
  /** How many messages a reader's consumer has delivered and has still to deliver. */
  countOfReader(stream: StreamName, consumer: string): Promise<number>;
  onRecreated(name: StreamName, listener: (incarnation: string) => void): () => void;
  /** Compares the system ids. Returns when JetStream or the database does not answer; throws when they differ. */
  join(): Promise<void>;
  /** Throws `unavailable` while this process does not know whether it may serve (system-claim.ts). */
  requireJoined(): void;
  stop(): void;
}

/** The server's default; a longer window costs memory. Later duplicates are found by the inboxes of the consumers. */
const duplicateWindowMs = 2 * 60_000;
const dayMs = 24 * 60 * 60_000;
/** How soon a missing stream is noticed. The six services check ten streams in all: two requests a second. */
const checkIntervalMs = 5_000;
/**
 * A deleted stream is missing before nats-server has removed its files. Files of a stream that is made meanwhile are
 * removed with them: it acknowledges messages that nobody can read. In a measurement with 2.9.10, the files of 1.5 GB
 * were gone 0.2 s after the stream.
 */
const removalMs = 1_000;
/** Longer than any handler takes. A running handler extends it, so it only passes when a replica dies. */
export const defaultAckWaitMs = 30_000;
const defaultMaxAckPending = 1_000;
/** The server removes a reader's consumer after this time without a pull. It is longer than any batch takes. */
const readerInactiveMs = 5 * 60_000;

export async function createStreams(connection: Connection, claim?: SystemClaim): Promise<Streams> {
  const { nc, names, log } = connection;
  const jsm = await jetstreamManager(nc, { checkAPI: false });
  /** The streams of this process: a missing one is created again. */
  const required = new Set<StreamName>();
  const incarnations = new Map<StreamName, string>();
  const listeners = new Map<StreamName, Set<(incarnation: string) => void>>();
  let mayServe = claim === undefined;
  let isOurs = claim === undefined;

  /** Runs a JetStream request and maps its errors to AppError. Null when the stream or consumer does not exist. */
  const call = async <T>(what: string, run: () => Promise<T>): Promise<T | null> => {
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

  const observe = (name: StreamName, info: ServerStreamInfo): StreamInfo => {
    const incarnation = info.created;
    const before = incarnations.get(name);
    incarnations.set(name, incarnation);
    if (before !== undefined && before !== incarnation) {
      log.error(
        { stream: name, before, incarnation },
        'a stream was recreated: its storage was lost or it was deleted',
      );
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          listener(incarnation);
        } catch (error) {
          log.error({ err: coerceError(error), stream: name }, 'a listener for recreated streams failed');
        }
      }
    }
    const { first_seq: firstSequence, last_seq: lastSequence, messages } = info.state;
    return { incarnation, firstSequence, lastSequence, messages };
  };

  /**
   * While a stream is being made, nats-server 2.9 may answer with the zero time as its creation. A reader that took
   * this for the incarnation would store its position in a stream that does not exist.
   */
  const complete = (name: StreamName, info: ServerStreamInfo): ServerStreamInfo => {
    if (info.created.startsWith('0001-')) throw unavailable(`The stream ${name} is being made.`);
    return info;
  };

  const findStream = (name: StreamName) =>
    call(`The stream ${name}`, async () => complete(name, await jsm.streams.info(names.name(name))));

  /** Whether EVENTS has the id, which events gives it if it has none. Throws OtherSystemError if it has another one. */
  const compare = async (info: ServerStreamInfo | null, { id, claims }: { id: string; claims: boolean }) => {
    const description = info?.config.description;
    const found = systemIn(description);
    if (found !== undefined && found !== id) throw new OtherSystemError(connection.prefix, id, found);
    if (found !== undefined || !claims) return found !== undefined;
    const claimed = { description: describeSystem(id, description) };
    await call('The description of EVENTS', () => jsm.streams.update(names.name('EVENTS'), claimed));
    await pause(claimSettleMs);
    return compare(await findStream('EVENTS'), { id, claims: false });
  };

  const ensureOne = async (name: StreamName): Promise<void> => {
    const id = name === 'EVENTS' && claim ? await claim.id() : undefined;
    const expected = {
      subjects: contracts[name].subjects.map((subject) => names.subject(subject)),
      max_age: nanos(contracts[name].maxAgeDays * dayMs),
      duplicate_window: nanos(duplicateWindowMs),
      // A user can send requests without permission: the server does not check the reply subject of a message, and
      // sends its answer there. A purge would lose events for good; after a deletion they are published again.
      deny_delete: true,
      deny_purge: true,
    };
    const create = async () =>
      complete(
        name,
        await jsm.streams.add({
          ...expected,
          ...(id === undefined ? {} : { description: describeSystem(id) }),
          name: names.name(name),
          retention: RetentionPolicy.Limits,
          storage: StorageType.File,
          num_replicas: connection.replicas ?? 1,
        }),
      );
    let info = await findStream(name);
    if (!info && incarnations.has(name)) {
      await pause(removalMs);
      info = await findStream(name);
    }
    if (!info) {
      // Several replicas may create the stream at once. One with another configuration gets an error and updates it
      // below.
      info = await call(`The stream ${name}`, create).catch(async (error: unknown) => {
        const existing = await findStream(name);
        if (!existing) throw error;
        return existing;
      });
      if (!info) throw unavailable(`The stream ${name} cannot be created now.`);
    }
    if (id !== undefined) isOurs = await compare(info, { id, claims: claim?.claims ?? false });
    const isAsConfigured =
      JSON.stringify([...info.config.subjects].sort()) === JSON.stringify([...expected.subjects].sort()) &&
      info.config.max_age === expected.max_age &&
      info.config.duplicate_window === expected.duplicate_window &&
      info.config.deny_delete &&
      info.config.deny_purge &&
      (connection.replicas === undefined || info.config.num_replicas === connection.replicas);
    if (!isAsConfigured && contracts[name].keeper === connection.name) {
      const replicas = connection.replicas === undefined ? {} : { num_replicas: connection.replicas };
      // The server cannot change the storage and retention of a stream.
      const update = () => jsm.streams.update(names.name(name), { ...expected, ...replicas });
      info = (await call(`The configuration of the stream ${name} cannot be updated`, update)) ?? info;
    }
    observe(name, info);
  };

  /** Ensures EVENTS and compares the system ids. */
  const ensureOurs = async (): Promise<void> => {
    await claim?.id();
    try {
      await ensureOne('EVENTS');
    } catch (error) {
      isOurs = false;
      if (error instanceof ConfigError) throw error;
      mayServe = true;
      throw error;
    }
    mayServe = true;
  };

  const check = async (): Promise<void> => {
    for (const name of new Set([...required, ...listeners.keys()])) {
      if (!connection.isConnected() || nc.isClosed()) return;
      try {
        if (name === 'EVENTS' && claim) await ensureOurs();
        else {
          const info = await findStream(name);
          if (info) observe(name, info);
          else if (required.has(name)) await ensureOne(name);
        }
      } catch (error) {
        if (error instanceof ConfigError) claim?.onRefused(error);
        // The next check follows in 5 s. Until then requests that need the stream report the reason.
        log.debug({ err: coerceError(error), stream: name }, 'a stream could not be checked');
      }
    }
  };
  let isChecking = false;
  const startCheck = (): void => {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch((error: unknown) => log.error({ err: coerceError(error) }, 'the streams could not be checked'))
      .finally(() => {
        isChecking = false;
      });
  };
  const timer = setInterval(startCheck, checkIntervalMs);
  timer.unref();
  const stopListening = connection.onStatus((connected) => connected && startCheck());

  return {
    async ensure(streamNames) {
      try {
        if (!isOurs) await ensureOurs();
        for (const name of streamNames) {
          required.add(name);
          await (name === 'EVENTS' && claim ? ensureOurs() : ensureOne(name));
        }
      } catch (error) {
        if (error instanceof ConfigError) claim?.onRefused(error);
        throw error;
      }
    },
    async info(name) {
      const info = await findStream(name);
      if (!info) throw unavailable(`The stream ${name} does not exist.`);
      return observe(name, info);
    },
    async lastSequence(name, filter) {
      const query = { last_by_subj: names.subject(filter) };
      const last = await call(`The stream ${name}`, () => jsm.streams.getMessage(names.name(name), query));
      return last?.seq ?? 0;
    },
    async getMessage(name, sequence) {
      const query = { seq: sequence };
      const found = await call(`The stream ${name}`, () => jsm.streams.getMessage(names.name(name), query));
      if (!found) return null;
      const { subject, header: headers, data, time } = found;
      const content = readMessage({ subject, headers, data }, contracts[name], names);
      return { ...content, sequence, deliveryCount: 1, publishedAt: time };
    },
    async ensureDurable(options) {
      const stream = names.name(options.stream);
      const durable = names.name(options.durable);
      const expected = {
        ack_wait: nanos(options.ackWaitMs ?? defaultAckWaitMs),
        max_ack_pending: options.maxAckPending ?? defaultMaxAckPending,
        ...(options.filter === undefined ? {} : { filter_subject: names.subject(options.filter) }),
      } satisfies Partial<ConsumerConfig>;
      const what = `The consumer ${options.durable} of ${options.stream}`;
      // Looks for the consumer first: a rejected creation may delete the position of an existing consumer
      // (https://github.com/nats-io/nats-server/pull/8491).
      const find = () => call(what, () => jsm.consumers.info(stream, durable));
      let found = await find();
      if (!found) {
        const config = {
          ...expected,
          durable_name: durable,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          max_deliver: -1,
        };
        found = await call(what, () => jsm.consumers.add(stream, config)).catch(async (error: unknown) => {
          const existing = await find();
          if (!existing) throw error;
          return existing;
        });
        if (!found) throw unavailable(`The stream ${options.stream} does not exist.`);
      }
      const { config } = found;
      const isAsConfigured =
        config.ack_wait === expected.ack_wait &&
        config.max_ack_pending === expected.max_ack_pending &&
        (config.filter_subject ?? '') === (expected.filter_subject ?? '');
      if (!isAsConfigured)
        await call(what, () => jsm.consumers.update(stream, durable, { filter_subject: undefined, ...expected }));
    },
    async durableInfo(stream, durable) {
      const info = await call(`The consumer ${durable} of ${stream}`, () =>
        jsm.consumers.info(names.name(stream), names.name(durable)),
      );
      if (!info) throw unavailable(`The consumer ${durable} of ${stream} does not exist.`);
      return info;
    },
    async openReader({ stream, filter, headersOnly }, afterSequence) {
      const from =
        afterSequence === 0
          ? { deliver_policy: DeliverPolicy.All }
          : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: afterSequence + 1 };
      const config = {
        ...from,
        ...(filter === undefined ? {} : { filter_subject: names.subject(filter) }),
        ...(headersOnly ? { headers_only: true } : {}),
        name: `reader-${nuid.next()}`,
        ack_policy: AckPolicy.None,
        inactive_threshold: nanos(readerInactiveMs),
        // The caller stores the position, so the consumer need not survive a restart of the server.
        mem_storage: true,
        num_replicas: 1,
      };
      const created = await call(`A reader of ${stream}`, () => jsm.consumers.add(names.name(stream), config));
      if (!created) return null;
      return {
        consumer: created.name,
        async close() {
          // The server removes a consumer that remains. Where other services have durables, none may delete consumers.
          if (contracts[stream].readers.length > 1 || !connection.isConnected() || nc.isClosed()) return;
          await connection.whileConnected(jsm.consumers.delete(names.name(stream), created.name)).catch(() => {});
        },
      };
    },
    async countOfReader(stream, consumer) {
      const what = `The reader of ${stream}`;
      const info = await call(what, () => jsm.consumers.info(names.name(stream), consumer));
      if (!info) throw unavailable(`${what} does not exist.`);
      return info.delivered.consumer_seq + info.num_pending;
    },
    onRecreated(name, listener) {
      const ofName = listeners.get(name) ?? new Set();
      listeners.set(name, ofName.add(listener));
      startCheck();
      return () => ofName.delete(listener);
    },
    async join() {
      if (!claim) return;
      required.add('EVENTS');
      const end = performance.now() + claimWaitMs;
      try {
        for (await ensureOurs(); !isOurs && performance.now() < end; await ensureOurs()) await pause(claimPollMs);
      } catch (error) {
        if (error instanceof ConfigError) throw error;
        log.warn({ err: coerceError(error) }, 'the system ids cannot be compared yet');
      }
    },
    requireJoined() {
      if (mayServe) return;
      startCheck();
      throw unavailable('This service does not know yet whether NATS belongs to its system.');
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
