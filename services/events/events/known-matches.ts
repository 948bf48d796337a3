import { LRUCache } from 'lru-cache';
import type { Matches } from './matches.ts';

/** Ids in all lists together. They take 8 MB of a service that uses some 60 MB. */
const maxIds = 1_000_000;
/** Searches without ids cost little. A thousand is more than people use at a time. */
const maxSearches = 1_000;

/**
 * The matches of earlier searches, by search key. A search without an entry counts the whole log; a search with one
 * counts only newer events.
 */
export type KnownMatches = LRUCache<string, Matches>;

export function createKnownMatches(): KnownMatches {
  // The size of an entry is at least 1.
  const sizeCalculation = (matches: Matches) => ('ids' in matches && matches.ids.length) || 1;
  return new LRUCache({ max: maxSearches, maxSize: maxIds, sizeCalculation });
}
