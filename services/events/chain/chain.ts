import { createHash } from 'node:crypto';
import { type LoggedEvent, searchTextOf, toEvent } from '../events/event.ts';
import { canonicalForm } from './canonical-form.ts';

/**
 * A link of the chain, which detects tampering. Each event of the log has a hash over itself and the hash of the
 * previous event. A change, deletion or insertion therefore changes every later hash. Heads that were exported before
 * detect an attacker who rewrites all of these hashes.
 */
export interface Link {
  id: number;
  /** base64url of a SHA-256; empty before the first event. */
  hash: string;
}

/**
 * A place where verification can start without the previous event.
 *   beginning  the first event after this id has no previous hash: the log was empty, or a version without the chain
 *              recorded the events before
 *   retention  retention dropped the events up to this id; the hash is that of the last of them. An attacker who can
 *              change the log can also insert such a row, so it is valid only if none of these events exists
 */
export interface Anchor extends Link {
  reason: 'beginning' | 'retention';
}

export interface LinkedEvent extends LoggedEvent {
  /** Null when a version without the chain recorded the event. */
  hash: string | null;
  created_by_username: string;
  /** Derived from the event (`searchTextOf`) and not hashed. A change of it would hide the event from searches. */
  search_text: string;
}

/** The first event that differs from what was recorded, and the reason. */
export interface Break {
  id: number;
  reason: string;
}

/** Hashes the previous hash, a line end, and the canonical form of the event as served. */
export function hashOf(previous: string, event: LoggedEvent): string {
  return createHash('sha256')
    .update(`${previous}\n${canonicalForm(toEvent(event))}`)
    .digest('base64url');
}

/** The hashes of events in the order of their ids; `previous` is the hash of the event before the first of them. */
export function hashesOf(previous: string, events: readonly LoggedEvent[]): string[] {
  let hash = previous;
  return events.map((event) => {
    hash = hashOf(hash, event);
    return hash;
  });
}

export function droppedUpTo(anchors: readonly Anchor[]): Anchor | null {
  return anchors.findLast(({ reason }) => reason === 'retention') ?? null;
}

/**
 * The anchor from which a range that begins with `from` is verified. Dropped events cannot be verified, so the range
 * may begin later. Null when the range continues from an event of the log.
 */
export function anchorFor(from: number, anchors: readonly Anchor[]): Link | null {
  const dropped = droppedUpTo(anchors);
  if (dropped !== null && from <= dropped.id) return dropped;
  // The first event has no previous hash, whatever the anchors say.
  if (from === 1) return { id: 0, hash: '' };
  return anchors.find(({ id }) => id === from - 1) ?? null;
}

/**
 * Verifies the events after `start`. Stops at the first event with an unexpected id, without a hash, with a wrong hash,
 * or with a wrong search text.
 */
export function verifyLinks(
  start: Link,
  events: readonly LinkedEvent[],
  anchors: readonly Anchor[],
): { last: Link; verified: number; broken: Break | null } {
  const beginnings = new Set(anchors.filter(({ reason }) => reason === 'beginning').map(({ id }) => id));
  const lastBeginning = Math.max(0, ...beginnings);
  let last = start;
  let verified = 0;
  const brokenAt = (id: number, reason: string) => ({ last, verified, broken: { id, reason } });
  for (const event of events) {
    const expected = last.id + 1;
    if (event.id !== expected) return brokenAt(expected, `It is missing: the next event is ${event.id}.`);
    const isBeforeChain = event.hash === null && event.id <= lastBeginning;
    if (event.hash === null && !isBeforeChain) return brokenAt(event.id, 'It has no hash.');
    const hash = isBeforeChain ? '' : hashOf(beginnings.has(last.id) ? '' : last.hash, event);
    if (hash !== (event.hash ?? ''))
      return brokenAt(event.id, 'Its hash does not match its content and the event before it.');
    if (event.search_text !== searchTextOfLinked(event))
      return brokenAt(event.id, 'Its search text does not match its content.');
    last = { id: event.id, hash };
    if (!isBeforeChain) verified += 1;
  }
  return { last, verified, broken: null };
}

function searchTextOfLinked(event: LinkedEvent): string {
  const { type, created_by: createdBy, created_by_username: createdByUsername, data } = event;
  return searchTextOf({ type, createdBy, createdByUsername, data });
}
