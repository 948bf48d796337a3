import type { Bus } from '@yardarm/shared/bus';
import { fetchSnapshot } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { systemContext } from '../../system-context.ts';
import type { EnvironmentSnapshot } from './environment-snapshot.ts';
import { type JoinedChange, joinParts } from './joined-change.ts';

/**
 * The wait for the first part of an answer, and for each further one. Flags may let a gateway wait for its turn to load
 * a large environment. After this time the poll tries again.
 */
const timeoutMs = 30_000;

interface InFlight {
  current: Promise<void>;
  /** Begins when the current one has ended. All calls during a fetch share it. */
  next: Promise<void> | null;
}

/**
 * Fetches from flags what is newer than a snapshot, and applies it. At most one fetch per snapshot is in flight. A call
 * during a fetch, which may not contain what the caller has heard of, causes one more. Each call resolves with the
 * first fetch that began after it, so that no caller waits longer while changes never end.
 */
export class Fetches {
  readonly #bus: Bus;
  readonly #onFetched: (snapshot: EnvironmentSnapshot) => void;
  readonly #inFlight = new Map<EnvironmentSnapshot, InFlight>();
  #isStopped = false;

  /** `onFetched` is called after each fetch, in the turn in which the snapshot has changed. */
  constructor(bus: Bus, onFetched: (snapshot: EnvironmentSnapshot) => void) {
    this.#bus = bus;
    this.#onFetched = onFetched;
  }

  /** Rejects when flags does not answer. */
  newer(snapshot: EnvironmentSnapshot): Promise<void> {
    const inFlight = this.#inFlight.get(snapshot);
    if (!inFlight) return this.#begin(snapshot);
    const begin = () => this.#begin(snapshot);
    inFlight.next ??= inFlight.current.then(begin, begin);
    return inFlight.next;
  }

  /** Begins no fetch any more. */
  stop(): void {
    this.#isStopped = true;
  }

  #begin(snapshot: EnvironmentSnapshot): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    const current = this.#fetch(snapshot).finally(() => {
      if (inFlight.next === null) this.#inFlight.delete(snapshot);
    });
    const inFlight: InFlight = { current, next: null };
    this.#inFlight.set(snapshot, inFlight);
    return current;
  }

  async #fetch(snapshot: EnvironmentSnapshot): Promise<void> {
    snapshot.apply(await this.#changesSince(snapshot, snapshot.known));
    this.#onFetched(snapshot);
  }

  /**
   * The revisions are in one message. Those of some ten thousand projects do not fit, and then the whole environment is
   * fetched: that takes longer with every change, but SDKs get it.
   */
  async #changesSince(snapshot: EnvironmentSnapshot, known: EnvironmentSnapshot['known']): Promise<JoinedChange> {
    const input = { environment: snapshot.environment, known };
    try {
      return await joinParts(this.#bus.requestParts(fetchSnapshot, input, systemContext(timeoutMs)));
    } catch (error) {
      if (known === null || !(error instanceof AppError && error.code === 'content-too-large')) throw error;
      return this.#changesSince(snapshot, null);
    }
  }
}
