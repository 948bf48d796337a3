import { setTimeout as sleep } from 'node:timers/promises';
import type { AppError } from '@yardarm/shared/errors';
import { tokenChecks } from '../metrics.ts';
import { RateLimited } from '../rate-limited.ts';
import { createCounterOf } from '../routing/counter-of.ts';

/**
 * Finds out which keys exist, in requests for many keys, so that guesses cost their owner little. States of a check:
 *
 *   queued   -> It waits for its turn. Addresses take turns, so the guesses of one do not delay another one.
 *   asked    -> It is in the request in flight. There is one at a time.
 *   answered -> The owner has said whether the key exists.
 *   failed   -> The owner did not answer. All that were queued fail as well, since they would wait for the same.
 *   refused  -> The queue was full when it came: `rate-limited`.
 *
 * A full queue is empty after five requests, half a second while the owner answers within `everyMs`. That bounds how
 * long guesses of the same address delay a token. Requests that name one key fill the queue only with 10,000 a second,
 * more than a gateway accepts. Keys of requests that name several get half of the queue, 500 of one address.
 */
export class KeyChecks {
  readonly #ask: (keys: readonly string[]) => Promise<readonly string[]>;
  readonly #queues = new Map<number, Check[]>();
  readonly #counterOf = createCounterOf();
  #queued = 0;
  #isAsking = false;

  /** `ask` returns those of the keys that exist. */
  constructor(ask: (keys: readonly string[]) => Promise<readonly string[]>) {
    this.#ask = ask;
  }

  /** Rejects with `rate-limited` when too many checks wait, and with the error of the request. */
  exists(key: string, address: string, namesSeveral = false): Promise<boolean> {
    const counter = this.#counterOf(address);
    const queue = this.#queues.get(counter) ?? [];
    const isFull = namesSeveral
      ? this.#queued >= maxQueuedOfSeveral || queue.length >= maxQueuedOfAddress
      : this.#queued >= maxQueued;
    if (isFull) {
      tokenChecks.inc({ outcome: 'refused' });
      return Promise.reject(tooManyChecks());
    }
    const check: Check = { key, ...Promise.withResolvers<boolean>() };
    queue.push(check);
    this.#queues.set(counter, queue);
    this.#queued += 1;
    if (!this.#isAsking) void this.#askAll();
    return check.promise;
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    while (this.#queued > 0) {
      const pause = sleep(everyMs, undefined, { ref: false });
      await this.#askNext(this.#take());
      await pause;
    }
    this.#isAsking = false;
  }

  async #askNext(checks: readonly Check[]): Promise<void> {
    try {
      const existing = new Set(await this.#ask(checks.map(({ key }) => key)));
      for (const { key, resolve } of checks) resolve(existing.has(key));
      tokenChecks.inc({ outcome: 'known' }, existing.size);
      tokenChecks.inc({ outcome: 'unknown' }, checks.length - existing.size);
    } catch (error) {
      const failed = [...checks, ...[...this.#queues.values()].flat()];
      this.#queues.clear();
      this.#queued = 0;
      tokenChecks.inc({ outcome: 'failed' }, failed.length);
      for (const { reject } of failed) reject(error);
    }
  }

  /** One check of each address, then one more of each that has another, up to the size of a request. */
  #take(): Check[] {
    const taken: Check[] = [];
    // A queue that is set again is visited again, after all others.
    for (const [counter, queue] of this.#queues) {
      if (taken.length === maxAsked) break;
      taken.push(queue.shift()!);
      this.#queues.delete(counter);
      if (queue.length > 0) this.#queues.set(counter, queue);
    }
    this.#queued -= taken.length;
    return taken;
  }
}

interface Check extends PromiseWithResolvers<boolean> {
  key: string;
}

/** The limit of the contracts: an owner finds a thousand selectors in some milliseconds, with an index. */
export const maxAsked = 1_000;

/** Then the requests of a gateway take some hundredths of the time of the owner, however many tokens are guessed. */
const everyMs = 100;

/** Five requests. A check takes some 300 bytes, besides the connection of its caller. */
export const maxQueued = 5_000;

/**
 * For the keys of requests that name several: half of the queue, so that a request that names one finds room, and a
 * fifth of that half for an address, which is the keys of five requests.
 */
export const maxQueuedOfSeveral = 2_500;
export const maxQueuedOfAddress = 500;

function tooManyChecks(): AppError {
  const message = 'Too many tokens that this server has not seen yet wait for their check. Try again later.';
  return new RateLimited('token-checks', message, 1);
}
