import type { RequestContext } from '@yardarm/shared/bus';
import type { MaybePromise } from '@yardarm/shared/waiting';
import { LRUCache } from 'lru-cache';
import { refuseTransient } from '../refuse-transient.ts';
import { KeyChecks } from './key-checks.ts';
import type { UnknownTokenLimit } from './unknown-token-limit.ts';

// A change whose hint was lost takes effect within 30 s: asking again begins at 10 s and must succeed within 25 s.
const freshMs = 10_000;
export const staleMs = 25_000;
// The same as freshMs. A key that is made after it was guessed works with the hint, or after this time without it.
const unknownMs = 10_000;
// A token with its grants or its endpoint takes about half a kilobyte: ten megabytes at most, for each map.
const maxEntries = 20_000;

/** Read once: each request reads the time, and this property takes a third as long. */
const { timeOrigin } = performance;

/**
 * Epoch ms, counted from the time at the start of the process. The system's clock may be set back later. By that clock
 * an answer would then be fresh for as much longer.
 */
export const steadyNow = (): number => timeOrigin + performance.now();

/** For whom the owner is asked. The properties are read only then. */
export interface Caller {
  readonly context: RequestContext;
  readonly address: string;
  /** Whether its request names several tokens. */
  readonly namesSeveral?: boolean;
}

/** What the owner answered for a key, and when it was asked, by the clock of the cache. */
export interface CacheEntry<Value> {
  readonly value: Value;
  askedAt: number;
}

export interface HintedCacheOptions<Value> {
  /** Asks the owner of the values. Null when it has none for the key. */
  ask(key: string, context: RequestContext): Promise<Value | null>;
  /** Limits the requests for single keys that turn out to be unknown. */
  limit: UnknownTokenLimit;
  /** Asks the owner which of the keys exist, at most 1,000. */
  askExisting(keys: readonly string[]): Promise<readonly string[]>;
  /** The name of the service that owns the values. */
  owner: string;
  /**
   * Called for a stale entry with the owner's answer, which may take any time or reject. Returns what the caller gets.
   * Without it, or when it returns undefined, the caller waits for the answer.
   */
  whenStale?(entry: CacheEntry<Value>, answer: Promise<Value | null>): Promise<Value | null> | undefined;
  /** Called when the value of a key became known or another one, and when a known key was forgotten. */
  onChange?(earlier: Value | undefined, later: Value | undefined): void;
  clock?: () => number;
}

/**
 * A cache of values that another service owns, which hints keep current. States of a key:
 *
 *   absent  -> Nothing is cached. Asks the owner and waits, under the limit of unknown keys. Beyond it, it first asks
 *              whether the key exists, together with others.
 *   changed -> The key was known until a hint came. Asks the owner and waits, without that limit.
 *   fresh   -> The owner answered less than freshMs ago. Answers from memory.
 *   ageing  -> The answer is older. Answers from memory and asks again in the background.
 *   stale   -> The answer is older than staleMs, or expire() was called. Asks the owner without the limit, and waits
 *              as `whenStale` decides.
 *   unknown -> The owner had no such key. Answers null from memory for unknownMs, so guesses do not reach the owner.
 *
 * All callers for one key share one request. forget() makes a known key changed and an unknown one absent; expire()
 * makes known keys stale. An answer that was in flight then may be older than the change: it goes to its waiting
 * callers and is not stored, and later callers do not wait for it. An error is not stored.
 *
 * Known and unknown keys have separate maps, so guesses cannot evict known ones. Each map is bounded; the key that was
 * not used for the longest time goes first.
 */
export class HintedCache<Value> {
  /** How `find` ended, since the start, by the state of the key; `memory` is fresh or ageing. */
  readonly lookups = { memory: 0, unknown: 0, stale: 0, absent: 0 };
  readonly #options: HintedCacheOptions<Value>;
  readonly #clock: () => number;
  readonly #checks: KeyChecks;
  readonly #known = new LRUCache<string, CacheEntry<Value>>({ max: maxEntries });
  readonly #changed = new LRUCache<string, true>({ max: maxEntries });
  readonly #unknown = new LRUCache<string, number>({ max: maxEntries });
  readonly #inFlight = new Map<string, Promise<Value | null>>();

  constructor(options: HintedCacheOptions<Value>, known: Iterable<readonly [string, CacheEntry<Value>]> = []) {
    this.#options = options;
    this.#clock = options.clock ?? steadyNow;
    this.#checks = new KeyChecks(options.askExisting);
    for (const [key, entry] of known) this.#known.set(key, entry);
  }

  /**
   * The value at once when memory has it. Rejects with `unavailable` when the owner cannot be asked, and with
   * `rate-limited` when too many keys wait for their check.
   */
  find(key: string, caller: Caller): MaybePromise<Value | null> {
    const unknownSince = this.#unknown.get(key);
    if (unknownSince !== undefined && this.#clock() - unknownSince < unknownMs) {
      this.lookups.unknown += 1;
      return null;
    }
    const entry = this.#known.get(key);
    const age = entry ? this.#clock() - entry.askedAt : Number.POSITIVE_INFINITY;
    if (entry && age < staleMs) {
      this.lookups.memory += 1;
      // In the background. After a failure the entry only grows older.
      if (age >= freshMs) this.ask(key, caller.context).catch(() => undefined);
      return entry.value;
    }
    this.lookups[entry ? 'stale' : 'absent'] += 1;
    const wasKnown = entry !== undefined || this.#changed.has(key);
    const answer = wasKnown ? this.ask(key, caller.context) : this.#askUnderLimit(key, caller);
    const served = entry && this.#options.whenStale?.(entry, answer);
    return served ?? answer.catch((error: unknown) => this.#refuse(error));
  }

  /** Asks the owner once for all who wait for the same key, without the limit. Rejects with the request's error. */
  ask(key: string, context: RequestContext): Promise<Value | null> {
    return this.#inFlight.get(key) ?? this.#begin(key, this.#options.ask(key, context));
  }

  /** For a hint that the value of the key has changed. */
  forget(key: string): void {
    const entry = this.#known.get(key);
    if (entry) {
      this.#known.delete(key);
      this.#changed.set(key, true);
      this.#options.onChange?.(entry.value, undefined);
    }
    this.#unknown.delete(key);
    this.#inFlight.delete(key);
  }

  /** For a hint that some values may have changed: makes those stale. */
  expire(isAffected: (value: Value) => boolean): void {
    for (const entry of this.#known.values()) if (isAffected(entry.value)) entry.askedAt = Number.NEGATIVE_INFINITY;
    this.#abandon(isAffected);
  }

  /** For a hint that some values have changed: forgets those. */
  forgetAll(isAffected: (value: Value) => boolean): void {
    for (const [key, { value }] of this.entries()) if (isAffected(value)) this.forget(key);
    this.#abandon(isAffected);
  }

  /** How many keys it has, known and unknown ones. */
  sizes(): { known: number; unknown: number } {
    return { known: this.#known.size, unknown: this.#unknown.size };
  }

  /** The known entries by key, the one that was used last first. */
  entries(): [string, CacheEntry<Value>][] {
    return [...this.#known.entries()];
  }

  /** The entry of a known key, without counting as its use. */
  peek(key: string): CacheEntry<Value> | undefined {
    return this.#known.peek(key);
  }

  /** The value of an unknown key in flight is not known before its answer, so the request is abandoned as well. */
  #abandon(isAffected: (value: Value) => boolean): void {
    for (const key of this.#inFlight.keys()) {
      const entry = this.#known.peek(key);
      if (!entry || isAffected(entry.value)) this.#inFlight.delete(key);
    }
  }

  #askUnderLimit(key: string, { context, address, namesSeveral }: Caller): Promise<Value | null> {
    const { limit, ask } = this.#options;
    const begin = () =>
      limit.guard(
        address,
        () => ask(key, context),
        () => this.#checks.exists(key, address, namesSeveral),
      );
    return this.#inFlight.get(key) ?? this.#begin(key, begin());
  }

  #begin(key: string, request: Promise<Value | null>): Promise<Value | null> {
    const answer = request.then((value) => {
      if (this.#inFlight.get(key) === answer) this.#store(key, value);
      return value;
    });
    this.#inFlight.set(key, answer);
    const end = () => {
      if (this.#inFlight.get(key) === answer) this.#inFlight.delete(key);
    };
    answer.then(end, end);
    return answer;
  }

  #store(key: string, value: Value | null): void {
    const earlier = this.#known.get(key)?.value;
    this.#changed.delete(key);
    this.#known.delete(key);
    this.#unknown.delete(key);
    if (value === null) this.#unknown.set(key, this.#clock());
    else this.#known.set(key, { value, askedAt: this.#clock() });
    this.#options.onChange?.(earlier, value ?? undefined);
  }

  #refuse(error: unknown): never {
    refuseTransient('This token cannot be checked now.', this.#options.owner, error);
  }
}
