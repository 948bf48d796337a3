import { createHash } from 'node:crypto';
import { type LoggedEvent, publicEvent } from '../events/event.ts';
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
 *   retention  the events up to this id were dropped; the hash is that of the last of them
 */
export interface Anchor extends Link {
  reason: 'beginning' | 'retention';
}

/** An event of the log with the hash that it carries; null when it was recorded by a version that knew no chain. */
export interface LinkedEvent extends LoggedEvent {
  hash: string | null;
}

/** The first event that is not what was recorded, and why. */
export interface Break {
  id: number;
  reason: string;
}

/** The hash of an event that follows on `previous`: over the previous hash, a line end, and the canonical form of the event as served. */
export function hashOf(previous: string, event: LoggedEvent): string {
  return createHash('sha256')
    .update(`${previous}\n${canonicalForm(publicEvent(event))}`)
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

/** Where to take up the chain for a range that begins with `from`: the range may begin later, since what is gone cannot be verified. */
export function anchorFor(from: number, anchors: readonly Anchor[]): Anchor | null {
  const gone = anchors.findLast(({ reason }) => reason === 'retention') ?? anchors[0];
  if (gone !== undefined && from <= gone.id) return gone;
  return anchors.find(({ id }) => id === from - 1) ?? null;
}

/**
 * Follows the chain from `start` over the events behind it. Stops at the first that is not in its place, has no hash, or has another one
 * than its content and the event before it give.
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
    if (event.hash === null && event.id <= lastBeginning) {
      last = { id: event.id, hash: '' };
      continue;
    }
    if (event.hash === null) return stopped(event.id, 'It carries no hash.');
    const hash = hashOf(beginnings.has(last.id) ? '' : last.hash, event);
    if (hash !== event.hash)
      return stopped(event.id, 'Its hash is not that of its content and of the event before it.');
    last = { id: event.id, hash };
    verified += 1;
  }
  return { last, verified, broken: null };
}
