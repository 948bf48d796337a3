import { createHash } from 'node:crypto';
import { eventColumns, type LoggedEvent, searchTextOf, toEvent } from '../events/event.ts';
import { canonicalForm } from './canonical-form.ts';

/**
 * A link of the chain, which detects tampering. Each event of the log has a hash over itself and the hash of the
 * previous event. A change, deletion or insertion therefore changes every later hash. Heads that were exported before
 * detect an attacker who rewrites all of these hashes.
 */
export interface Link {
  id: number;
  /**
   * base64url of a SHA-256, with the version of its form in front; empty before the first event. Version 1 has no name
   * in front and covers the event as served. Version 2 begins with `v2.` and covers every column but the search text,
   * with times to the millisecond and JSON by its values.
   */
  hash: string;
}

/** Matches a hash of version 1 and one of version 2. */
export const hashPattern = /^(v2\.)?[\w-]{43}$/;

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

/** What a hash of version 2 covers: the event as served, and the columns that clients do not see. */
export interface ChainedEvent extends LoggedEvent {
  event_id: string;
  recorded_at: Date;
  version: number;
  source: string;
  created_by_username: string;
  request_id: string | null;
  traceparent: string | null;
}

export const chainedColumns = [
  ...eventColumns,
  ...(['event_id', 'recorded_at', 'version', 'source', 'created_by_username', 'request_id', 'traceparent'] as const),
] satisfies (keyof ChainedEvent)[];

export interface LinkedEvent extends ChainedEvent {
  /** Null when a version without the chain recorded the event. */
  hash: string | null;
  /** Derived from the event (`searchTextOf`) and not hashed. A change of it would hide the event from searches. */
  search_text: string;
}

/** The first event that differs from what was recorded, and the reason. */
export interface Break {
  id: number;
  reason: string;
}

/**
 * Hashes the stored hash of the previous event, a line end, and the canonical form of the event. A recorder of the
 * release before appends hashes of version 1 after those of version 2, and the other way round, while both run.
 */
export function hashOf(previous: string, event: ChainedEvent): string {
  return `v2.${digest(previous, {
    ...toEvent(event),
    createdByUsername: event.created_by_username,
    eventId: event.event_id,
    recordedAt: event.recorded_at.toISOString(),
    requestId: event.request_id,
    source: event.source,
    traceparent: event.traceparent,
    version: event.version,
  })}`;
}

/** Version 1: the event as served. */
export function hashOfVersion1(previous: string, event: LoggedEvent): string {
  return digest(previous, toEvent(event));
}

function digest(previous: string, form: object): string {
  return createHash('sha256')
    .update(`${previous}\n${canonicalForm(form)}`)
    .digest('base64url');
}

/** The hashes of events in the order of their ids; `previous` is the hash of the event before the first of them. */
export function hashesOf(previous: string, events: readonly ChainedEvent[]): string[] {
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
    if (event.hash !== null && !hashPattern.test(event.hash))
      return brokenAt(event.id, 'Its hash is of no version that this program knows.');
    const hash = isBeforeChain ? '' : expectedHash(beginnings.has(last.id) ? '' : last.hash, event);
    if (hash !== (event.hash ?? ''))
      return brokenAt(event.id, 'Its hash does not match its content and the event before it.');
    if (event.search_text !== searchTextOfLinked(event))
      return brokenAt(event.id, 'Its search text does not match its content.');
    last = { id: event.id, hash };
    if (!isBeforeChain) verified += 1;
  }
  return { last, verified, broken: null };
}

/** Computes the hash by the version that the stored one names. */
function expectedHash(previous: string, event: LinkedEvent): string {
  return event.hash?.startsWith('v2.') ? hashOf(previous, event) : hashOfVersion1(previous, event);
}

function searchTextOfLinked(event: LinkedEvent): string {
  const { type, created_by: createdBy, created_by_username: createdByUsername, data } = event;
  return searchTextOf({ type, createdBy, createdByUsername, data });
}
