import type { StreamInfo as ServerStreamInfo, StreamUpdateConfig } from '@nats-io/jetstream';
import { streams as contracts, type StreamName } from '../contracts/streams.ts';
import { coerceError } from '../errors/index.ts';
import { pause } from '../waiting/index.ts';
import type { BusMessage, StreamInfo } from './bus.ts';
import type { Connection } from './connection.ts';
import { type Consumers, createConsumers } from './consumers.ts';
import { readMessage } from './delivery.ts';
import { unavailable } from './failures.ts';
import { createJetStreamApi } from './jetstream-api.ts';
import { configOf, hasConfig, isMade, newStreamConfig } from './stream-config.ts';
import { createOwnerCheck, type StreamOwner } from './stream-owner.ts';
import { createStreamShapes } from './stream-shape.ts';

/**
 * The only code that creates streams. What a process knows of a stream:
 *
 *   unseen   It has not found the stream yet.
 *   known    It has the incarnation. It looks at the stream again with each use, at each connection and every 5 s.
 *   missing  It had the incarnation, and the stream does not exist. A process that requires the stream makes it again
 *            after `removalMs`; another one waits until it is there.
 *
 * When a look finds another incarnation than the one before, the listeners are called once. EVENTS is used only after
 * the system ids were compared (stream-owner.ts).
 */
export interface Streams extends Consumers {
  ensure(names: readonly StreamName[]): Promise<void>;
  info(name: StreamName): Promise<StreamInfo>;
  /** The sequence of the last message that matches the filter; 0 without one. */
  lastSequence(name: StreamName, filter: string): Promise<number>;
  /** Null without a message that has the sequence. */
  getMessage(name: StreamName, sequence: number): Promise<BusMessage | null>;
  onRecreated(name: StreamName, listener: (incarnation: string) => void): () => void;
  /** Compares the system ids. Returns when JetStream or the database does not answer; throws when they differ. */
  join(): Promise<void>;
  /** Throws `unavailable` while this process does not know whether it may serve. */
  requireJoined(): void;
  /** A sentence when NATS refuses what the settings say of the replicas of a stream; else null. */
  problem(): string | null;
  stop(): void;
}

/** The server makes a stream in milliseconds, on a busy machine in some hundred. */
const makingMs = 50;
const maxMakingTries = 20;

/** How soon a missing stream is noticed. The six services check ten streams in all: two requests a second. */
const checkIntervalMs = 5_000;
/**
 * A deleted stream is missing before nats-server has removed its files. Files of a stream that is made meanwhile are
 * removed with them: it acknowledges messages that nobody can read. In a measurement with 2.9.10, the files of 1.5 GB
 * were gone 0.2 s after the stream.
 */
const removalMs = 1_000;

export async function createStreams(connection: Connection, owner?: StreamOwner): Promise<Streams> {
  const { nc, names, log } = connection;
  const api = await createJetStreamApi(connection);
  const { call } = api;
  const { streams } = api.manager;
  const shapes = createStreamShapes(connection.shape, log);
  /** The streams of this process: a missing one is created again. */
  const required = new Set<StreamName>();
  const incarnations = new Map<StreamName, string>();
  const listeners = new Map<StreamName, Set<(incarnation: string) => void>>();

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

  const find = (name: StreamName) =>
    call(`The stream ${name}`, async () => {
      for (let tries = 1; ; tries += 1) {
        const info = await streams.info(names.name(name));
        if (isMade(info)) return info;
        if (tries === maxMakingTries) throw unavailable(`The stream ${name} is being made.`);
        await pause(makingMs);
      }
    });

  const create = async (name: StreamName, description: string | undefined): Promise<ServerStreamInfo> => {
    const config = {
      ...newStreamConfig(name, names),
      ...shapes.ofNew(),
      ...(description === undefined ? {} : { description }),
    };
    // Several replicas may create the stream at once. One with another configuration gets an error, and updates the
    // stream that it finds.
    const created = await call(`The stream ${name}`, () => streams.add(config)).catch(async (error: unknown) => {
      const existing = await find(name);
      if (existing) return existing;
      shapes.onRefused(name, error);
      throw error;
    });
    const made = created && isMade(created) ? created : await find(name);
    if (!made) throw unavailable(`The stream ${name} cannot be created now.`);
    return made;
  };

  const update = async (name: StreamName, config: Partial<StreamUpdateConfig>, found: ServerStreamInfo) => {
    const what = `The configuration of the stream ${name} cannot be updated`;
    return (await call(what, () => streams.update(names.name(name), config))) ?? found;
  };

  const ensureOne = async (
    name: StreamName,
    description?: string,
    compare?: (found: ServerStreamInfo) => Promise<void>,
  ): Promise<void> => {
    let info = await find(name);
    if (!info && incarnations.has(name)) {
      await pause(removalMs);
      info = await find(name);
    }
    info ??= await create(name, description);
    await compare?.(info);
    if (contracts[name].keeper === connection.name) {
      const config = configOf(name, names);
      // The server cannot change the storage and retention of a stream.
      if (!hasConfig(info.config, config)) info = await update(name, config, info);
      info = await shapes.apply(name, info, (shape, found) => update(name, shape, found));
    } else shapes.onFound(name);
    observe(name, info);
  };

  const describe = (description: string) =>
    call('The description of EVENTS', () => streams.update(names.name('EVENTS'), { description }));
  const system = owner && createOwnerCheck(connection, owner, { ensureOne, find, describe });

  const check = async (): Promise<void> => {
    for (const name of new Set([...required, ...listeners.keys()])) {
      if (!connection.isConnected() || nc.isClosed()) return;
      try {
        if (name === 'EVENTS' && system) await system.ensureOurs();
        else {
          const info = await find(name);
          if (info) observe(name, info);
          else if (required.has(name)) await ensureOne(name);
        }
      } catch (error) {
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
    ...createConsumers(connection, api),
    async ensure(streamNames) {
      if (system && !system.isOurs()) await system.ensureOurs();
      for (const name of streamNames) {
        required.add(name);
        await (name === 'EVENTS' && system ? system.ensureOurs() : ensureOne(name));
      }
    },
    async info(name) {
      const info = await find(name);
      if (!info) throw unavailable(`The stream ${name} does not exist.`);
      return observe(name, info);
    },
    async lastSequence(name, filter) {
      const query = { last_by_subj: names.subject(filter) };
      const last = await call(`The stream ${name}`, () => streams.getMessage(names.name(name), query));
      return last?.seq ?? 0;
    },
    async getMessage(name, sequence) {
      const query = { seq: sequence };
      const found = await call(`The stream ${name}`, () => streams.getMessage(names.name(name), query));
      if (!found) return null;
      const { subject, header: headers, data, time } = found;
      const content = readMessage({ subject, headers, data }, contracts[name], names);
      return { ...content, sequence, deliveryCount: 1, publishedAt: time };
    },
    onRecreated(name, listener) {
      const ofName = listeners.get(name) ?? new Set();
      listeners.set(name, ofName.add(listener));
      startCheck();
      return () => ofName.delete(listener);
    },
    async join() {
      if (!system) return;
      required.add('EVENTS');
      await system.start();
    },
    requireJoined() {
      if (!system || system.mayServe()) return;
      startCheck();
      throw unavailable('This service does not know yet whether NATS belongs to its system.');
    },
    problem: shapes.problem,
    stop() {
      clearInterval(timer);
      stopListening();
    },
  };
}
