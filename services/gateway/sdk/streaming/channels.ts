import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AnswerWriter } from '../../routing/answer-writer.ts';
import type { SnapshotPosition } from '../snapshots/positions.ts';
import type { Scope } from '../snapshots/scope.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';

/** The streams of one scope. They have got its changes up to `at`, or are ahead: each has a revision. */
export interface Channel {
  at: SnapshotPosition;
  streams: Map<AnswerWriter, number>;
}

/** An event for the streams of a channel that have an older revision, or for all of them. */
export interface ChannelEvent {
  event: readonly Buffer[];
  revision: number;
  isForAll: boolean;
}

interface Watched {
  channels: Map<string, Channel>;
  unwatch: () => void;
  timer: NodeJS.Timeout | undefined;
  nextRoundAt: number;
  isSending: boolean;
  /** It has changed since the present round began. */
  isDue: boolean;
}

/**
 * Other work of the process waits for a slice. To send to a stream takes some 30 µs, and so may finding out that the
 * filter of a channel selects nothing of a change.
 */
const sliceMs = 2;

/**
 * Groups streams by scope, and sends to all channels of an environment when it has changed. States of an environment:
 *
 *   idle     A change begins a round.
 *   sending  A round goes through all streams, in slices. Streams that are opened meanwhile have their own revision.
 *   pausing  After a round. Changes during a round and its pause are sent together after it, so the last one is never
 *            lost.
 */
export class Channels {
  readonly #snapshots: Pick<Snapshots, 'watch'>;
  readonly #nextEvent: (channel: Channel) => ChannelEvent | null;
  readonly #pauseMs: (roundMs: number) => number;
  readonly #watched = new Map<string, Watched>();

  /**
   * `nextEvent` brings the position of a channel up to date, and returns what its streams get, if they get anything;
   * `pauseMs` gets the duration of the round.
   */
  constructor(
    snapshots: Pick<Snapshots, 'watch'>,
    nextEvent: (channel: Channel) => ChannelEvent | null,
    pauseMs: (roundMs: number) => number,
  ) {
    this.#snapshots = snapshots;
    this.#nextEvent = nextEvent;
    this.#pauseMs = pauseMs;
  }

  /** Adds a stream that has the revision `has`, which is that of the position or another, until `unfollow`. */
  follow(stream: AnswerWriter, { scope, revision, epoch }: SnapshotPosition, has: number): void {
    const { environment, key } = scope;
    let watched = this.#watched.get(environment);
    if (!watched) {
      const unwatch = this.#snapshots.watch(environment, () => this.schedule(environment));
      const idle = { timer: undefined, nextRoundAt: 0, isSending: false, isDue: false };
      watched = { channels: new Map(), unwatch, ...idle };
      this.#watched.set(environment, watched);
    }
    const channel = watched.channels.get(key) ?? { at: { scope, revision, epoch }, streams: new Map() };
    watched.channels.set(key, channel);
    channel.streams.set(stream, has);
  }

  /** Removes a stream, if it was added. */
  unfollow(stream: AnswerWriter, { environment, key }: Scope): void {
    const watched = this.#watched.get(environment);
    const channel = watched?.channels.get(key);
    if (!watched || !channel?.streams.delete(stream)) return;
    if (channel.streams.size === 0) watched.channels.delete(key);
    if (watched.channels.size > 0) return;
    watched.unwatch();
    clearTimeout(watched.timer);
    this.#watched.delete(environment);
  }

  /** Begins a round of the environment, at once or after the pause. */
  schedule(environment: string): void {
    const watched = this.#watched.get(environment)!;
    watched.isDue = true;
    if (watched.isSending || watched.timer !== undefined) return;
    const waitMs = watched.nextRoundAt - performance.now();
    if (waitMs <= 0) void this.#sendRound(environment, watched);
    else watched.timer = setTimeout(() => void this.#sendRound(environment, watched), waitMs);
  }

  async #sendRound(environment: string, watched: Watched): Promise<void> {
    watched.timer = undefined;
    watched.isDue = false;
    watched.isSending = true;
    const startedAt = performance.now();
    await this.#sendToAll(watched);
    watched.isSending = false;
    const endedAt = performance.now();
    watched.nextRoundAt = endedAt + this.#pauseMs(endedAt - startedAt);
    const isWatched = this.#watched.get(environment) === watched;
    if (watched.isDue && isWatched) this.schedule(environment);
  }

  async #sendToAll({ channels }: Watched): Promise<void> {
    let sliceEndsAt = performance.now() + sliceMs;
    const letOthersRun = async () => {
      await yieldToEventLoop();
      sliceEndsAt = performance.now() + sliceMs;
    };
    for (const channel of channels.values()) {
      const next = this.#nextEvent(channel);
      if (performance.now() >= sliceEndsAt) await letOthersRun();
      if (next === null) continue;
      for (const [stream, has] of channel.streams) {
        if (!next.isForAll && has >= next.revision) continue;
        channel.streams.set(stream, next.revision);
        stream.send(next.event);
        if (performance.now() >= sliceEndsAt) await letOthersRun();
      }
    }
  }
}
