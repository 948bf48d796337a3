import type { ServerResponse } from 'node:http';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { Gauge, metrics } from '@yardarm/shared/telemetry';
import { noSnapshot } from '../snapshots/environment-snapshot.ts';
import { type Position, relateEventId } from '../snapshots/positions.ts';
import type { Scope } from '../snapshots/scope.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { View, Views } from '../snapshots/views.ts';
import { Invitations } from './invitations.ts';
import { SdkStream, toEvent } from './sdk-stream.ts';
import { type Authenticate, TokenChecks } from './token-checks.ts';

/** Proxies close a connection that is silent for half a minute or a minute. */
const commentEveryMs = 25_000;

/**
 * A round of events is followed by a pause of its own duration, so that other reads get half of the process. A longer
 * pause would delay changes more than it saves.
 */
const maxPauseMs = 50;

const head = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

const noEvents = '{"events":[]}';

const openStreams = new Gauge({
  name: 'yardarm_gateway_sdk_streams',
  help: 'Open streams of SDKs',
  registers: [metrics],
});

/** The streams of one scope. They have got its changes up to `at`, or are ahead. */
interface Channel {
  at: Position;
  streams: Set<SdkStream>;
}

/** The scopes of one environment. */
interface Watched {
  channels: Map<string, Channel>;
  unwatch: () => void;
  timer: NodeJS.Timeout | undefined;
  nextRoundAt: number;
}

export interface StreamRequest {
  scope: Scope;
  token: ResolvedToken;
  authenticate: Authenticate;
  lastEventId: string | undefined;
  connectionId: string | undefined;
  /** Whether flags was asked for newer changes after the SDK had got its last event. */
  isCaughtUp: boolean;
}

/**
 * The streams of SDKs. States of a stream:
 *
 *   behind    -> Its first event, `unleash-connected`, has a hydration, or what is newer than its last event.
 *   ahead     -> Another gateway has sent it a newer state. It gets nothing until the snapshot has passed that state.
 *   following -> It gets `unleash-updated` with each change of its scope, encoded once for all streams of the scope.
 *   ended     -> Its token is no longer valid, an administrator ends all streams, or the gateway stops: the answer is
 *                complete, and the SDK connects again. A client that does not read is broken off.
 *
 * An event names the position after it. Changes that follow each other closely are one event. After a restore of the
 * database every stream gets a hydration.
 */
export class SdkStreams {
  readonly #snapshots: Snapshots;
  readonly #views: Views;
  readonly #limit: number;
  readonly #checks = new TokenChecks();
  readonly #invitations = new Invitations();
  readonly #streams = new Set<SdkStream>();
  readonly #watched = new Map<string, Watched>();
  readonly #comments: NodeJS.Timeout;
  #isStopped = false;

  constructor(snapshots: Snapshots, views: Views, limit: number) {
    this.#snapshots = snapshots;
    this.#views = views;
    this.#limit = limit;
    this.#comments = setInterval(() => {
      for (const stream of this.#streams) stream.comment();
    }, commentEveryMs);
    this.#comments.unref();
  }

  get isFull(): boolean {
    return this.#isStopped || this.#streams.size >= this.#limit;
  }

  /** Whether a poll with this connection id is told to stream. */
  isInvited(connectionId: string | undefined): boolean {
    return this.#invitations.has(connectionId) && !this.isFull;
  }

  recheck(isAffected: (token: ResolvedToken) => boolean): void {
    this.#checks.recheck(isAffected);
  }

  /** Begins the answer. Throws before it: `rate-limited` without a free stream, since SDKs then poll at once. */
  open(response: ServerResponse, request: StreamRequest): void {
    if (this.#isStopped) throw new AppError('unavailable', 'This process stops.', { retryAfterSeconds: 1 });
    this.#invitations.add(request.connectionId);
    if (this.isFull) {
      const message = `This gateway has ${this.#limit} streams, and all are in use.`;
      throw new AppError('rate-limited', message, { retryAfterSeconds: 15 });
    }
    // The client may have gone already: then there is no `close` event any more.
    if (response.destroyed) return;
    const view = this.#viewOf(request.scope);
    const relation = relateEventId(request.lastEventId, view);
    const isAhead = relation.kind === 'ahead' && !request.isCaughtUp;
    const stream = new SdkStream(response, isAhead ? relation.revision : view.revision);
    response.writeHead(200, head);
    if (response.req.method === 'HEAD') return void response.end();
    if (isAhead) stream.comment();
    else {
      const isKnown = relation.kind === 'older' || relation.kind === 'same';
      const body = isKnown ? view.deltaSince(relation.revision) : view.hydration();
      stream.send(toEvent('unleash-connected', view.position, body.plain));
    }
    this.#follow(stream, view);
    const uncheck = this.#checks.add(request.token, request.authenticate, () => stream.end());
    response.once('close', () => {
      uncheck();
      this.#unfollow(stream, view.scope);
      this.#invitations.add(request.connectionId);
    });
  }

  /** Ends all streams. Their SDKs connect again. */
  endAll(): void {
    for (const stream of this.#streams) stream.end();
  }

  /** Ends all streams and refuses new ones. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#comments);
    this.endAll();
  }

  #viewOf(scope: Scope): View {
    return this.#views.of(this.#snapshots.peek(scope.environment) ?? noSnapshot, scope);
  }

  #follow(stream: SdkStream, view: View): void {
    const { environment, key } = view.scope;
    let watched = this.#watched.get(environment);
    if (!watched) {
      const unwatch = this.#snapshots.watch(environment, () => this.#schedule(environment));
      watched = { channels: new Map(), unwatch, timer: undefined, nextRoundAt: 0 };
      this.#watched.set(environment, watched);
    }
    const channel = watched.channels.get(key) ?? { at: positionOf(view), streams: new Set() };
    watched.channels.set(key, channel);
    channel.streams.add(stream);
    this.#streams.add(stream);
    openStreams.inc();
  }

  #unfollow(stream: SdkStream, { environment, key }: Scope): void {
    this.#streams.delete(stream);
    openStreams.dec();
    const watched = this.#watched.get(environment)!;
    const channel = watched.channels.get(key)!;
    channel.streams.delete(stream);
    if (channel.streams.size === 0) watched.channels.delete(key);
    if (watched.channels.size > 0) return;
    watched.unwatch();
    clearTimeout(watched.timer);
    this.#watched.delete(environment);
  }

  #schedule(environment: string): void {
    const watched = this.#watched.get(environment)!;
    if (watched.timer !== undefined) return;
    const waitMs = watched.nextRoundAt - performance.now();
    if (waitMs <= 0) this.#sendRound(watched);
    else watched.timer = setTimeout(() => this.#sendRound(watched), waitMs);
  }

  #sendRound(watched: Watched): void {
    watched.timer = undefined;
    const startedAt = performance.now();
    for (const channel of watched.channels.values()) this.#sendChanges(channel);
    const endedAt = performance.now();
    watched.nextRoundAt = endedAt + Math.min(endedAt - startedAt, maxPauseMs);
  }

  #sendChanges(channel: Channel): void {
    const { scope, revision, epoch } = channel.at;
    const view = this.#viewOf(scope);
    const isSameEpoch = view.epoch === epoch;
    if (isSameEpoch && view.revision === revision) return;
    channel.at = positionOf(view);
    const body = isSameEpoch ? view.deltaSince(revision) : view.hydration();
    if (body.plain.length === noEvents.length) return;
    const event = [Buffer.concat(toEvent('unleash-updated', view.position, body.plain))];
    for (const stream of channel.streams) {
      if (isSameEpoch && stream.revision >= view.revision) continue;
      stream.revision = view.revision;
      stream.send(event);
    }
  }
}

/** Without the bodies of a view. */
function positionOf({ scope, revision, epoch }: View): Position {
  return { scope, revision, epoch };
}
