import type { Matches } from './matches.ts';

/** Numbers in all the lists of ids together: 8 MB of a service that has some 60. */
const maxIds = 1_000_000;
/** Searches without ids cost little; a thousand is more than people have open. */
const maxSearches = 1_000;

/**
 * What this process knows of earlier searches, by their keys; those asked for longest ago are forgotten first. Nothing is lost with it
 * but time: the first search of a kind counts, the next ones look at what is new.
 */
export class KnownMatches {
  readonly #known = new Map<string, Matches>();
  #ids = 0;

  get(key: string): Matches | undefined {
    const matches = this.#known.get(key);
    // A Map is in the order in which its keys were set.
    if (matches !== undefined) this.set(key, matches);
    return matches;
  }

  set(key: string, matches: Matches): void {
    this.#forget(key);
    this.#known.set(key, matches);
    this.#ids += idsIn(matches);
    for (const oldest of this.#known.keys()) {
      if (this.#ids <= maxIds && this.#known.size <= maxSearches) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const matches = this.#known.get(key);
    if (matches === undefined) return;
    this.#known.delete(key);
    this.#ids -= idsIn(matches);
  }
}

function idsIn(matches: Matches): number {
  return 'ids' in matches ? matches.ids.length : 0;
}
