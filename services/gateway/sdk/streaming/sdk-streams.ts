import type { MaybePromise } from '@yardarm/shared/waiting';
import { waitingSdkStreams } from '../../metrics.ts';
import { type AnswerWriter, toEvent } from '../../routing/answer-writer.ts';
import type { OpenStreams, StreamClient } from '../../routing/open-streams.ts';
import { inOneSlice, type ShareOptions, TimeShares } from '../../time-shares.ts';
import { noSnapshot } from '../snapshots/environment-snapshot.ts';
import { relateEventId } from '../snapshots/positions.ts';
import type { Scope } from '../snapshots/scope.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { ScopeView, ScopeViews } from '../snapshots/views.ts';
import { type Channel, type ChannelEvent, Channels } from './channels.ts';
import { StreamOffers } from './stream-offers.ts';

/**
 * A round of events is followed by a pause of its own duration, so that other reads get half of the process. A longer
 * pause would delay changes more than it saves.
 */
const maxPauseMs = 50;

/**
 * Opening streams: each is sent the whole environment. Those of all tokens together have half of the process while they
 * wait, as rounds of events have. The limits of open streams bound how many wait.
 */
const openingShares: ShareOptions = { restFromMs: 0, maxWaiting: Number.POSITIVE_INFINITY, works: 'streams' };

/**
 * The bytes of a filter that a stream may keep for one place: those of some 35 names. So all filters of the streams of
 * a token at an address take at most 40 MB. No SDK names as much.
 */
const bytesOfPlace = 8_000;

export interface StreamRequest {
  scope: Scope;
  lastEventId: string | undefined;
  connectionId: string | undefined;
  /** Whether flags was asked for newer changes after the SDK had got its last event. */
  hasAskedFlags: boolean;
}

/**
 * The streams of SDKs. States of a stream:
 *
 *   waiting   -> Others are being opened. It counts as open and gets comments, and holds nothing of the environment. It
 *                gets its turn after those of its token that came before, and after one turn of each other token. When
 *                its client leaves, it is forgotten.
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
  readonly #snapshots: Pick<Snapshots, 'peek' | 'watch'>;
  readonly #views: ScopeViews;
  readonly #openStreams: OpenStreams;
  readonly #channels: Channels;
  readonly #offers = new StreamOffers();
  readonly #openings = new TimeShares(openingShares);

  constructor(snapshots: Pick<Snapshots, 'peek' | 'watch'>, views: ScopeViews, openStreams: OpenStreams) {
    this.#snapshots = snapshots;
    this.#views = views;
    this.#openStreams = openStreams;
    const nextEvent = (channel: Channel) => this.#nextEvent(channel);
    this.#channels = new Channels(snapshots, nextEvent, (roundMs) => Math.min(roundMs, maxPauseMs));
  }

  /** Whether the answer to a poll with this connection id asks the SDK to stream. */
  mayOfferStream(connectionId: string | undefined): boolean {
    return this.#offers.has(connectionId) && !this.#openStreams.isFull;
  }

  /** Records that an answer asks for it. */
  offerStream(connectionId: string | undefined): void {
    this.#offers.use(connectionId);
  }

  /** Begins the answer. Throws before it, as `OpenStreams.open` does. Resolves when the first event is sent. */
  open(client: StreamClient, request: StreamRequest): MaybePromise<void> {
    const { scope, connectionId } = request;
    const key = String(client.token.id);
    this.#offers.add(connectionId);
    const places = scope.isFiltered ? Math.ceil(scope.bytes / bytesOfPlace) : 1;
    const onClose = (closed: AnswerWriter) => {
      this.#openings.leave(key, opening);
      this.#channels.unfollow(closed, scope);
      this.#offers.add(connectionId);
    };
    const stream = this.#openStreams.open(client, onClose, places);
    if (!stream) return;
    const opening = inOneSlice(() => this.#begin(stream, request));
    const begun = this.#openings.run(key, Number.POSITIVE_INFINITY, opening);
    if (!(begun instanceof Promise)) return;
    waitingSdkStreams.inc();
    return begun.finally(() => waitingSdkStreams.dec());
  }

  /** Sends the first event, from the state when it is called. */
  #begin(stream: AnswerWriter, { scope, lastEventId, hasAskedFlags }: StreamRequest): void {
    const view = this.#viewOf(scope);
    const relation = relateEventId(lastEventId, view);
    const isAhead = relation.kind === 'ahead' && !hasAskedFlags;
    if (isAhead) stream.comment();
    else {
      const isKnown = relation.kind === 'older' || relation.kind === 'same';
      const body = isKnown ? view.deltaSince(relation.revision) : view.hydration();
      stream.send(toEvent('unleash-connected', view.position, body.plain));
    }
    this.#channels.follow(stream, view, isAhead ? relation.revision : view.revision);
  }

  #viewOf(scope: Scope): ScopeView {
    return this.#views.of(this.#snapshots.peek(scope.environment) ?? noSnapshot, scope);
  }

  #nextEvent(channel: Channel): ChannelEvent | null {
    const { scope, revision, epoch } = channel.at;
    const view = this.#viewOf(scope);
    const isSameEpoch = view.epoch === epoch;
    if (isSameEpoch && view.revision === revision) return null;
    channel.at = { scope, revision: view.revision, epoch: view.epoch };
    if (isSameEpoch && !view.hasChangesSince(revision)) return null;
    const body = isSameEpoch ? view.deltaSince(revision) : view.hydration();
    const event = [Buffer.concat(toEvent('unleash-updated', view.position, body.plain))];
    return { event, revision: view.revision, isForAll: !isSameEpoch };
  }
}
