import type { Matches } from './matches.ts';

/** Ids in all lists together. They take 8 MB of a service that uses some 60 MB. */
const maxIds = 1_000_000;
/** Searches without ids cost little. A thousand is more than people use at a time. */
const maxSearches = 1_000;

/**
 * The matches of earlier searches, by search key. The least recently used ones are removed first. A search without an
 * entry counts the whole log; a search with one counts only newer events.
 */
export class KnownMatches {
  readonly #matches = new Map<string, Matches>();
  #ids = 0;

  get(key: string): Matches | undefined {
    const matches = this.#matches.get(key);
    // A Map keeps the order in which keys were set, so that this moves the key to the end.
    if (matches !== undefined) this.set(key, matches);
    return matches;
  }

  set(key: string, matches: Matches): void {
    this.#delete(key);
    this.#matches.set(key, matches);
    this.#ids += countIds(matches);
    for (const oldest of this.#matches.keys()) {
      if (this.#ids <= maxIds && this.#matches.size <= maxSearches) break;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const matches = this.#matches.get(key);
    if (matches === undefined) return;
    this.#matches.delete(key);
    this.#ids -= countIds(matches);
  }
}

function countIds(matches: Matches): number {
  return 'ids' in matches ? matches.ids.length : 0;
}
