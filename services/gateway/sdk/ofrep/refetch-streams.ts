import { toEvent } from '../../routing/answer-writer.ts';
import type { OpenStreams, StreamClient } from '../../routing/open-streams.ts';
import { noSnapshot } from '../snapshots/environment-snapshot.ts';
import { currentPosition, relateEventId, type SnapshotPosition, toPosition } from '../snapshots/positions.ts';
import type { Scope } from '../snapshots/scope.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { type Channel, type ChannelEvent, Channels } from '../streaming/channels.ts';

/** Each event makes every client evaluate all of its flags, so changes that follow each other closely are one event. */
const pauseMs = 1_000;

/** Below every position, so that the next round sends an event. */
const noRevision = -1;

export interface RefetchRequest {
  scope: Scope;
  /** The position of the flags that the client has. */
  since: string | undefined;
  /** Whether flags was asked for newer changes than `since`. */
  hasAskedFlags: boolean;
  /** When the ticket ends, in milliseconds since 1970. */
  expiresAt: number;
}

/**
 * The streams of OpenFeature's providers. A stream gets `refetchEvaluation` when the flags of its token have changed
 * since those that the client has, at most once a second. The event names the position of the flags, which the client
 * sends with its next evaluation, so that a gateway behind this one catches up first. A stream ends with its ticket.
 */
export class RefetchStreams {
  readonly #snapshots: Snapshots;
  readonly #openStreams: OpenStreams;
  readonly #channels: Channels;

  constructor(snapshots: Snapshots, openStreams: OpenStreams) {
    this.#snapshots = snapshots;
    this.#openStreams = openStreams;
    this.#channels = new Channels(
      snapshots,
      (channel) => this.#nextEvent(channel),
      () => pauseMs,
    );
  }

  /** Begins the answer. Throws before it, as `OpenStreams.open` does. */
  open(client: StreamClient, { scope, since, hasAskedFlags, expiresAt }: RefetchRequest): void {
    const stream = this.#openStreams.open(client, (closed) => {
      clearTimeout(expiry);
      this.#channels.unfollow(closed, scope);
    });
    if (!stream) return;
    const position = this.#positionOf(scope);
    const relation = relateEventId(since, position);
    const isKnown = relation.kind === 'same' || (relation.kind === 'ahead' && !hasAskedFlags);
    const expiry = setTimeout(() => stream.end(), expiresAt - Date.now());
    // The head leaves with it.
    stream.comment();
    this.#channels.follow(stream, position, isKnown ? relation.revision : noRevision);
    if (!isKnown) this.#channels.schedule(scope.environment);
  }

  #positionOf(scope: Scope): SnapshotPosition {
    return currentPosition(this.#snapshots.peek(scope.environment) ?? noSnapshot, scope);
  }

  #nextEvent(channel: Channel): ChannelEvent {
    const position = this.#positionOf(channel.at.scope);
    const isSameEpoch = position.epoch === channel.at.epoch;
    channel.at = position;
    const etag = toPosition(position);
    const data = Buffer.from(JSON.stringify({ type: 'refetchEvaluation', etag }));
    const event = [Buffer.concat(toEvent('message', etag, data))];
    return { event, revision: position.revision, isForAll: !isSameEpoch };
  }
}
