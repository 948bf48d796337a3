import type { AnswerWriter } from '../../routing/answer-writer.ts';
import type { SnapshotPosition } from '../snapshots/positions.ts';
import type { Scope } from '../snapshots/scope.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';

/** The streams of one scope. They have got its changes up to `at`, or are ahead: each has a revision. */
export interface Channel {
  at: SnapshotPosition;
  streams: Map<AnswerWriter, number>;
}

interface Watched {
  channels: Map<string, Channel>;
  unwatch: () => void;
  timer: NodeJS.Timeout | undefined;
  nextRoundAt: number;
}

/**
 * Groups streams by scope, and sends to all channels of an environment when it has changed. Such a round is followed by
 * a pause. Changes during the pause are sent together after it, so the last one is never lost.
 */
export class Channels {
  readonly #snapshots: Snapshots;
  readonly #send: (channel: Channel) => void;
  readonly #pauseMs: (roundMs: number) => number;
  readonly #watched = new Map<string, Watched>();

  /** `send` brings the streams of a channel up to date; `pauseMs` gets the duration of the round. */
  constructor(snapshots: Snapshots, send: (channel: Channel) => void, pauseMs: (roundMs: number) => number) {
    this.#snapshots = snapshots;
    this.#send = send;
    this.#pauseMs = pauseMs;
  }

  /** Adds a stream that has the revision `has`, which is that of the position or another, until `unfollow`. */
  follow(stream: AnswerWriter, { scope, revision, epoch }: SnapshotPosition, has: number): void {
    const { environment, key } = scope;
    let watched = this.#watched.get(environment);
    if (!watched) {
      const unwatch = this.#snapshots.watch(environment, () => this.schedule(environment));
      watched = { channels: new Map(), unwatch, timer: undefined, nextRoundAt: 0 };
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
    if (watched.timer !== undefined) return;
    const waitMs = watched.nextRoundAt - performance.now();
    if (waitMs <= 0) this.#sendRound(watched);
    else watched.timer = setTimeout(() => this.#sendRound(watched), waitMs);
  }

  #sendRound(watched: Watched): void {
    watched.timer = undefined;
    const startedAt = performance.now();
    for (const channel of watched.channels.values()) this.#send(channel);
    const endedAt = performance.now();
    watched.nextRoundAt = endedAt + this.#pauseMs(endedAt - startedAt);
  }
}
