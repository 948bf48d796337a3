import { createHash } from 'node:crypto';
import { type LoggedEvent, searchTextOf, toEvent } from '../events/event.ts';
import { canonicalForm } from './canonical-form.ts';

/**
 * The chain that makes tampering show: every event of the log carries a hash over itself and the hash of the event before it, so that
 * nothing in the middle can be changed, taken out or put in without changing every hash behind it. Whoever can rewrite all of those
 * as well is found by heads that were exported before.
 */
export interface Link {
  id: number;
  /** base64url of a SHA-256; empty before the first event. */
  hash: string;
}

/**
 * Where the chain can be taken up without the event before it.
 *   beginning  the first event after this id is chained on nothing: the log was empty, or what is before was recorded by a version
 *              that knew no chain
 *   retention  the events up to this id were dropped; the hash is that of the last of them. Whoever can change the log can write such a
 *              row as well: it is believed only where none of these events is there
 */
export interface Anchor extends Link {
  reason: 'beginning' | 'retention';
}

/** An event of the log with the hash that it carries; null when it was recorded by a version that knew no chain. */
export interface LinkedEvent extends LoggedEvent {
  hash: string | null;
  created_by_username: string;
  /** Made of the event (searchTextOf), not hashed: whoever changes it hides the event from searches. */
  search_text: string;
}

/** The first event that is not what was recorded, and why. */
export interface Break {
  id: number;
  reason: string;
}

/** The hash of an event that follows on `previous`: over the previous hash, a line end, and the canonical form of the event as served. */
export function hashOf(previous: string, event: LoggedEvent): string {
  return createHash('sha256')
    .update(`${previous}\n${canonicalForm(toEvent(event))}`)
    .digest('base64url');
}

/** The hashes of events that follow, in the order of their ids, on the event with the hash `previous`. */
export function hashesOf(previous: string, events: readonly LoggedEvent[]): string[] {
  let hash = previous;
  return events.map((event) => {
    hash = hashOf(hash, event);
    return hash;
  });
}

/** Up to where retention has dropped the log, as the anchors say. */
export function droppedUpTo(anchors: readonly Anchor[]): Anchor | null {
  return anchors.findLast(({ reason }) => reason === 'retention') ?? null;
}

/**
 * Where to take up the chain for a range that begins with `from`: the range may begin later, since what was dropped cannot be verified.
 * Null when it goes on from an event of the log.
 */
export function anchorFor(from: number, anchors: readonly Anchor[]): Link | null {
  const dropped = droppedUpTo(anchors);
  if (dropped !== null && from <= dropped.id) return dropped;
  // The first event is chained on nothing, whatever the anchors say.
  if (from === 1) return { id: 0, hash: '' };
  return anchors.find(({ id }) => id === from - 1) ?? null;
}

/**
 * Follows the chain from `start` over the events behind it. Stops at the first that is not in its place, has no hash, has another one
 * than its content and the event before it give, or is searched by another text than its content gives.
 */
export function follow(
  start: Link,
  events: readonly LinkedEvent[],
  anchors: readonly Anchor[],
): { last: Link; verified: number; broken: Break | null } {
  const beginnings = new Set(anchors.filter(({ reason }) => reason === 'beginning').map(({ id }) => id));
  const lastBeginning = Math.max(0, ...beginnings);
  let last = start;
  let verified = 0;
  const stopped = (id: number, reason: string) => ({ last, verified, broken: { id, reason } });
  for (const event of events) {
    const expected = last.id + 1;
    if (event.id !== expected) return stopped(expected, `It is missing: the log goes on with ${event.id}.`);
    const isBeforeChain = event.hash === null && event.id <= lastBeginning;
    if (event.hash === null && !isBeforeChain) return stopped(event.id, 'It carries no hash.');
    const hash = isBeforeChain ? '' : hashOf(beginnings.has(last.id) ? '' : last.hash, event);
    if (hash !== (event.hash ?? ''))
      return stopped(event.id, 'Its hash is not that of its content and of the event before it.');
    if (event.search_text !== searchTextOfLinked(event))
      return stopped(event.id, 'Its text for searching is not the one that it was recorded with.');
    last = { id: event.id, hash };
    if (!isBeforeChain) verified += 1;
  }
  return { last, verified, broken: null };
}

function searchTextOfLinked(event: LinkedEvent): string {
  const { type, created_by: createdBy, created_by_username: createdByUsername, data } = event;
  return searchTextOf({ type, createdBy, createdByUsername, data });
}
