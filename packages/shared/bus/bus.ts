import type { z } from 'zod';
import type { Actor } from '../contracts/actor.ts';
import type { HintContract, RequestContract } from '../contracts/contract.ts';
import type { StreamName } from '../contracts/streams.ts';
import type { Logger } from '../log/index.ts';
import type { Pace } from '../pace/pace.ts';
import type { EncodedAnswer } from './encode-answer.ts';
import type { Frame } from './frames.ts';
import type { StreamPosition, StreamRange } from './stream-position.ts';

export interface RequestContext {
  requestId: string;
  /** Who asks; null for a service that asks on its own behalf. */
  actor: Actor | null;
  /** When the caller no longer waits, in epoch ms by the clock of this machine. */
  deadline: number;
  /** The trace context in the form of W3C; null without one. */
  traceparent: string | null;
}

/** The context as a handler gets it. `deadline` is on the serving machine's clock. */
export interface ServedContext extends RequestContext {
  /** A child with the request's id and the contract's name. */
  log: Logger;
}

export interface BusMessage {
  /** The subject of the message, without the prefix of the bus. */
  subject: string;
  /** The sequence in its stream, comparable only within one incarnation. */
  sequence: number;
  /** The body of the message as it was published, parsed as JSON. */
  payload: unknown;
  /** `Nats-Msg-Id`, by which the stream drops duplicates. */
  msgId: string | null;
  headers: Record<string, string>;
  traceparent: string | null;
  /** Begins at 1. It is always 1 with `read()`, which keeps no state on the server. */
  deliveryCount: number;
  publishedAt: Date;
}

/** The range of a stream. Its incarnation is the time of its creation. */
export interface StreamInfo extends StreamRange {
  incarnation: string;
  messages: number;
}

export interface ConsumeOptions {
  stream: StreamName;
  /** The replicas that use one name share its messages. The bus adds the prefix. */
  durable: string;
  /** A subject without the prefix, which may have wildcards; without a filter the whole stream. */
  filter?: string;
  /** The server redelivers an unanswered message after this time, 30 s by default. A running handler extends it. */
  ackWaitMs?: number;
  /** The limit of unacknowledged messages over all replicas, 1,000 by default. */
  maxAckPending?: number;
  /** How many handlers run at once in this process, 1 by default. */
  concurrency?: number;
}

export interface ConsumeBatchesOptions {
  stream: StreamName;
  durable: string;
  filter?: string;
  maxBatch: number;
  ackWaitMs?: number;
}

export interface ReadOptions {
  stream: StreamName;
  /** A subject without the prefix, which may have wildcards; without a filter the whole stream. */
  filter?: string;
  /** Returns the position to read from. The reader calls it at its start and after every failure. */
  from: () => Promise<StreamPosition>;
  maxBatch: number;
  /** The messages come without their payloads. */
  headersOnly?: boolean;
  /** The pause after a batch, which makes the next batch larger. There is none when a full batch waits. */
  pace?: Pace;
}

export interface Consumption {
  /** Takes no more messages and waits up to 8 s for the running handlers. Unfinished messages are redelivered. */
  stop(): Promise<void>;
  /** Resolves when no message of the durable is pending and the handlers of this process are idle. For tests. */
  processAll(): Promise<void>;
  /** The number of messages that wait, including the unacknowledged ones. */
  lag(): Promise<number>;
}

export interface Reading {
  /** Takes no more messages and waits up to 8 s for the running handler. */
  stop(): Promise<void>;
  /** Resolves when all messages that the stream had for this reader at the time of the call are handled. */
  processAll(): Promise<void>;
  /** The number of messages that wait. With a filter it throws `unavailable` while the reader opens. */
  lag(): Promise<number>;
}

/**
 * The output, which its handler may have encoded; or, for an answer that is made a part at a time, outputs whose lists
 * are joined, or frames of them.
 */
export type Answer<C extends RequestContract> =
  | Promise<z.input<C['output']> | EncodedAnswer>
  | AsyncIterable<z.input<C['output']> | Frame>
  | (z.input<C['output']> extends Record<string, never> ? Promise<void> : never);

/**
 * Requests, hints and streams over one connection. Every error that the bus throws is an AppError.
 * Callers name subjects, queue groups, streams and durables without the prefix; the bus adds and removes it.
 */
export interface Bus {
  /**
   * Sends a request to the service that serves the contract. Throws the error that the service answered with;
   * `unavailable` (no service or no connection; nothing was done); `timeout` (the outcome is unknown); or
   * `content-too-large` (the input does not fit a message). The answer may have any size.
   */
  request<C extends RequestContract>(
    contract: C,
    input: z.input<C['input']>,
    context: RequestContext,
  ): Promise<z.output<C['output']>>;
  /**
   * As `request()`, for a contract whose output is one list: yields the items as JSON, separated by commas, as they
   * arrive and without parsing them. The service has checked them. A lost frame is a `timeout`. The deadline is that of
   * the first items; later ones have as long again, counted from the moment when the caller asks for them. A caller
   * that leaves the loop stops the service.
   */
  requestItems<C extends RequestContract>(
    contract: C,
    input: z.input<C['input']>,
    context: RequestContext,
  ): AsyncIterable<Uint8Array>;
  /**
   * As `request()`, for an answer whose lists should not be in memory whole: yields outputs with parts of the lists, as
   * they arrive. Every output has the other fields. An answer that the service did not divide is one output. Deadlines
   * are those of `requestItems()`.
   */
  requestParts<C extends RequestContract>(
    contract: C,
    input: z.input<C['input']>,
    context: RequestContext,
  ): AsyncIterable<z.output<C['output']>>;
  /**
   * Sends a request of which every replica gets a copy (`ofEachReplica`). Returns the answers that arrive before the
   * deadline, one of each replica; none when no replica is there. A replica that refuses is left out and logged. Throws
   * `unavailable` without a connection.
   */
  requestAll<C extends RequestContract>(
    contract: C,
    input: z.input<C['input']>,
    context: RequestContext,
  ): Promise<z.output<C['output']>[]>;
  /**
   * Serves a contract; replicas share its requests. Without output fields the handler may resolve to nothing. A handler
   * that makes a long list a part at a time is a generator: it is asked for the next part when the caller can receive
   * it, and ended when the caller has left.
   */
  serve<C extends RequestContract>(
    contract: C,
    handler: (input: z.output<C['input']>, context: ServedContext) => Answer<C>,
  ): void;
  /**
   * Publishes to the stream of the subject and resolves when the stream has acknowledged the message, within 5 s. The
   * stream does not store a second message with the same `msgId` within two minutes. Throws `unavailable` or `timeout`
   * (publish again with the same id), or `content-too-large`.
   */
  publish(
    subject: string,
    payload: unknown,
    options: { msgId: string; traceparent?: string | null; headers?: Record<string, string> },
  ): Promise<{ sequence: number; duplicate: boolean }>;
  /** Sends a hint to the current listeners. It may be lost; this never throws. */
  hint<C extends HintContract>(contract: C, payload: z.input<C['payload']>): void;
  /** Calls the handler for every hint. Every listening replica gets every hint. */
  onHint<C extends HintContract>(contract: C, handler: (payload: z.output<C['payload']>) => void): void;
  /** Creates missing streams and updates the configuration of the others. Replicas may do this at the same time. */
  ensureStreams(names: readonly StreamName[]): Promise<void>;
  /** Throws `unavailable` when the stream is missing or JetStream does not answer. */
  streamInfo(name: StreamName): Promise<StreamInfo>;
  /** The sequence of the last message with a subject that matches the filter; 0 without one. Throws `unavailable`. */
  lastSequence(name: StreamName, filter: string): Promise<number>;
  /** The message with the sequence, or null when the stream does not have it. Throws `unavailable`. */
  getMessage(name: StreamName, sequence: number): Promise<BusMessage | null>;
  /**
   * Calls the listener when the stream was recreated, because its storage was lost or it was deleted. The bus checks
   * every 5 s and at every reconnect. The first incarnation is not reported. Returns the function that removes the
   * listener.
   */
  onStreamRecreated(name: StreamName, listener: (incarnation: string) => void): () => void;
  /**
   * Handles each message of a stream at least once. All consumers of one durable share its messages. A message is
   * acknowledged when the handler resolves. If the handler throws `validation`, `bad-data` or a ZodError, the message
   * is a dead letter: logged as an error, counted, and not delivered again. After any other error it is redelivered
   * with a delay.
   */
  consume(options: ConsumeOptions, handler: (message: BusMessage) => Promise<void>): Promise<Consumption>;
  /**
   * As `consume()`, with batches of the messages that wait. A failed batch is redelivered whole. If the error is one of
   * a dead letter, the bus calls the handler again with each message alone.
   */
  consumeBatches(
    options: ConsumeBatchesOptions,
    handler: (messages: BusMessage[]) => Promise<void>,
  ): Promise<Consumption>;
  /**
   * Reads a stream in order, one batch at a time, from a position that the caller stores. The server stores no position
   * and gets no acknowledgements. If the handler throws, it gets the same messages again after a delay.
   */
  read(
    options: ReadOptions,
    handler: (batch: { incarnation: string; messages: BusMessage[] }) => Promise<void>,
  ): Reading;
  /**
   * `problem` is why there is no connection, as a clause; null while the reason is not known yet. With a connection it
   * is a sentence on the subscriptions that the server has refused; null without any.
   */
  state(): { connected: boolean; serverVersion: string | null; problem: string | null };
  /** A sentence when NATS refuses the replicas or the placement of a stream; else null. */
  streamProblem(): string | null;
  /** Calls the listener when the connection is lost or restored. Returns the function that removes the listener. */
  onStatus(listener: (connected: boolean) => void): () => void;
  connected(): Promise<void>;
  /**
   * Resolves when the server has processed all subscriptions made so far. A service awaits this before it reports
   * ready; until then its callers may get `unavailable`. Throws `unavailable` without a connection, and ConfigError
   * when the user may not subscribe.
   */
  flush(): Promise<void>;
  /** Takes no new work, waits up to 8 s for the work in flight, and closes the connection. */
  drain(): Promise<void>;
}
