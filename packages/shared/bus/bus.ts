import type { z } from 'zod';
import type { Actor } from '../contracts/actor.ts';
import type { HintContract, RequestContract } from '../contracts/contract.ts';
import type { StreamName } from '../contracts/streams.ts';
import type { Logger } from '../log/index.ts';
import type { Pace } from '../pace/pace.ts';

/** What travels with a request besides its input. */
export interface RequestContext {
  requestId: string;
  /** Who asks; null for a service on its own behalf. */
  actor: Actor | null;
  /** Epoch ms on this machine's clock. What remains of it is what travels. */
  deadline: number;
  /** W3C trace context, or null. */
  traceparent: string | null;
}

/** The context as a handler gets it. `deadline` is on the serving machine's clock. */
export interface ServedContext extends RequestContext {
  /** A child with the request's id and the contract's name. */
  log: Logger;
}

/** A message of a stream. */
export interface BusMessage {
  /** Without the prefix. */
  subject: string;
  /** The sequence in its stream; comparable within one incarnation only. */
  sequence: number;
  /** Parsed JSON. */
  payload: unknown;
  /** Nats-Msg-Id, by which the stream drops duplicates. */
  msgId: string | null;
  headers: Record<string, string>;
  traceparent: string | null;
  /** 1 the first time. Always 1 with read(), which keeps no state on the server. */
  deliveryCount: number;
  publishedAt: Date;
}

export interface StreamInfo {
  /** The creation time of the stream; sequences of two incarnations are never compared. */
  incarnation: string;
  firstSequence: number;
  /** 0 when nothing has ever been published. */
  lastSequence: number;
  messages: number;
}

export interface ConsumeOptions {
  stream: StreamName;
  /** Shared by the replicas that name it; takes the prefix. */
  durable: string;
  /** A subject without the prefix, wildcards allowed; the whole stream without it. */
  filter?: string;
  /** After how long without an answer a message is given to another, 30 s unless said. Prolonged while a handler works on it. */
  ackWaitMs?: number;
  /** How many messages may be unacknowledged over all replicas, 1,000 unless said. */
  maxAckPending?: number;
  /** How many handlers run at once in this process, 1 unless said. */
  concurrency?: number;
}

export interface ConsumeBatchesOptions {
  stream: StreamName;
  durable: string;
  filter?: string;
  /** The most messages that one call of the handler gets. */
  maxBatch: number;
  ackWaitMs?: number;
}

export interface ReadOptions {
  stream: StreamName;
  /**
   * Where to go on, asked at the beginning and after every failure. Another incarnation than the stream's own, or null, begins at the
   * stream's first message.
   */
  from: () => Promise<{ incarnation: string | null; afterSequence: number }>;
  maxBatch: number;
  /** How long is waited after a batch, so that the next is larger; a full one waits for nothing, and without a pace none does. */
  pace?: Pace;
}

/** A durable consumer at work in this process. */
export interface Consumption {
  /** Takes no more and waits for the handlers at work, 8 s at most; what they had not finished is given to another. */
  stop(): Promise<void>;
  /** Resolves when nothing is pending anywhere and the handlers of this process are idle. For tests: drain, never sleep. */
  processAll(): Promise<void>;
  /** How many messages wait, given out but unacknowledged ones included. */
  lag(): Promise<number>;
}

/** A reader in stream order at work in this process. */
export interface Reading {
  /** Takes no more and waits for the handler at work, 8 s at most. */
  stop(): Promise<void>;
  /** Resolves when all that the stream held at the time of the call has been handled. */
  processAll(): Promise<void>;
  /** How many messages of the stream have not been handled. */
  lag(): Promise<number>;
}

/** What a handler of the contract resolves to. */
export type Answer<C extends RequestContract> =
  | Promise<z.input<C['output']>>
  | (z.input<C['output']> extends Record<string, never> ? Promise<void> : never);

/**
 * The bus: requests, hints and streams over one connection. Everything that it throws is an AppError.
 * Subjects, queue groups, streams and durables are named without the prefix everywhere; the bus adds it and takes it off.
 */
export interface Bus {
  /**
   * Asks the service that serves the contract. Throws its refusal as it is; `unavailable` (nothing was done: nobody serves it, or there is no
   * connection), `timeout` (the outcome is unknown), `content-too-large` (the input does not fit a message).
   */
  request<C extends RequestContract>(
    contract: C,
    input: z.input<C['input']>,
    context: RequestContext,
  ): Promise<z.output<C['output']>>;
  /**
   * Asks for an answer in pieces (`replies: 'many'`). They come in order and end when the server has said that it was the last; a lost piece or
   * silence until the deadline is a `timeout`. Breaking out of the loop tells the server to stop.
   */
  requestMany<C extends RequestContract>(
    contract: C,
    input: z.input<C['input']>,
    context: RequestContext,
  ): AsyncIterable<z.output<C['output']>>;
  /**
   * Answers a contract, sharing the work with the other replicas of its service. Where the output has no fields, the handler may
   * resolve to nothing.
   */
  serve<C extends RequestContract>(
    contract: C,
    handler: (input: z.output<C['input']>, context: ServedContext) => Answer<C>,
  ): void;
  /** Answers a contract in pieces, each within the message size of the server. The next piece is asked for when the caller has room. */
  serveMany<C extends RequestContract>(
    contract: C,
    handler: (input: z.output<C['input']>, context: ServedContext) => AsyncIterable<z.input<C['output']>>,
  ): void;
  /**
   * Publishes to the stream that holds the subject and resolves when the stream has acknowledged, within 5 s. A second one with the same `msgId`
   * within two minutes is a duplicate: not stored again. Throws `unavailable` (publish again with the same id) or `content-too-large`.
   */
  publish(
    subject: string,
    payload: unknown,
    options: { msgId: string; traceparent?: string | null; headers?: Record<string, string> },
  ): Promise<{ sequence: number; duplicate: boolean }>;
  /** Tells whoever listens now. Never throws, may be lost. */
  hint<C extends HintContract>(contract: C, payload: z.input<C['payload']>): void;
  /** Every replica that listens gets every hint that arrives. */
  onHint<C extends HintContract>(contract: C, handler: (payload: z.output<C['payload']>) => void): void;
  /** Creates the streams that are missing and brings the others to their configuration; ten replicas may do it at once. */
  ensureStreams(names: readonly StreamName[]): Promise<void>;
  /** Throws `unavailable` when the stream is missing or JetStream does not answer. */
  streamInfo(name: StreamName): Promise<StreamInfo>;
  /**
   * Tells when the stream has become another one: its storage was wiped, or somebody deleted it. Looked for every 5 s and at every reconnect; the first
   * incarnation seen is not told. Returns how to stop listening.
   */
  onStreamRecreated(name: StreamName, listener: (incarnation: string) => void): () => void;
  /**
   * Handles the messages of a stream one by one, at least once each, shared by all who name the same durable. Resolves: acknowledged. Throws
   * `validation`, `bad-data` or a ZodError: the message is bad, set aside with an error in the log and counted. Throws anything else:
   * given again after a delay.
   */
  consume(options: ConsumeOptions, handler: (message: BusMessage) => Promise<void>): Promise<Consumption>;
  /** As consume(), in batches of what has arrived. A batch that throws is given again whole; a handler that meets a bad message deals with it itself. */
  consumeBatches(
    options: ConsumeBatchesOptions,
    handler: (messages: BusMessage[]) => Promise<void>,
  ): Promise<Consumption>;
  /**
   * Reads a stream strictly in its order from a position that the caller keeps, one batch at a time; nothing is acknowledged and the server
   * keeps nothing. A handler that throws is given the same messages again after a delay.
   */
  read(
    options: ReadOptions,
    handler: (batch: { incarnation: string; messages: BusMessage[] }) => Promise<void>,
  ): Reading;
  state(): { connected: boolean; serverVersion: string | null };
  /** Tells when the connection goes and comes back. Returns how to stop listening. */
  onStatus(listener: (connected: boolean) => void): () => void;
  /** Resolves at once when connected, else when the connection comes back. */
  connected(): Promise<void>;
  /**
   * Resolves when the server knows of all that has been served and listened to so far: from then on nobody is told that nobody is there. To be
   * awaited before a service calls itself ready. Throws `unavailable` without a connection.
   */
  flush(): Promise<void>;
  /** Takes no new work, finishes what is in flight, 8 s at most, and closes the connection. */
  drain(): Promise<void>;
}
