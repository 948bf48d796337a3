import type { Database } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { findAnchors, findFirstIdAfter, findHash, findHead, findLinks, inReadTransaction } from './chain.repo.ts';
import { type Anchor, anchorFor, type Break, droppedUpTo, type Link, verifyLinks } from './chain.ts';
import type { ExportedHeads } from './heads-file.ts';

export { type ExportedHeads, readHeads } from './heads-file.ts';

/** An event has at most 1 MB, so a batch takes at most 100 MB of memory, whatever the range. */
const batchSize = 100;

/** Well below the ten seconds of a request. The caller continues from `next`. */
const budgetMs = 2_000;

export interface Verification {
  /** The first event that was checked: that of the range, or the first that can be verified. */
  from: number;
  to: number;
  verified: number;
  firstBroken: Break | null;
  /** The newest event of the log, according to the recorder. */
  head: Link;
  /** Where to continue when the time ran out before the range ended. Null when the range is done or broken. */
  next: number | null;
}

/** Verifies a range of ids for at most about two seconds. A range that ends after the log ends with the log. */
export async function verifyLog(
  db: Database<EventsTables>,
  range: { from: number; to?: number | undefined },
): Promise<Verification> {
  const until = performance.now() + budgetMs;
  let verified = 0;
  let next = range.from;
  let from: number | null = null;
  for (;;) {
    const step = await inReadTransaction(db, (trx) => verifyStep(trx, next, range.to));
    from ??= step.from;
    verified += step.verified;
    const done = { from, to: step.to, verified, firstBroken: step.broken, head: step.head };
    if (step.broken !== null || step.isEnd) return { ...done, next: null };
    next = step.to + 1;
    if (performance.now() >= until) return { ...done, next };
  }
}

interface Step {
  from: number;
  to: number;
  verified: number;
  broken: Break | null;
  head: Link;
  isEnd: boolean;
}

async function verifyStep(
  trx: Parameters<typeof findHead>[0],
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): Promise<Step> {
  const head = await findHead(trx);
  const anchors = await findAnchors(trx);
  const stray = await findStrayEvent(trx, anchors);
  if (stray !== null) return { from, to: from, verified: 0, broken: stray, head, isEnd: false };
  if (from > head.id + 1) return { from, to: head.id, verified: 0, broken: null, head, isEnd: true };
  const start = await findStart(trx, from, anchors);
  if ('reason' in start) return { from, to: from, verified: 0, broken: start, head, isEnd: false };
  const upTo = Math.min(to, head.id);
  const events = await findLinks(trx, start.id, upTo, batchSize);
  const { last, verified, broken } = verifyLinks(start, events, anchors);
  const isEnd = events.length < batchSize;
  return {
    from: start.id + 1,
    to: broken?.id ?? last.id,
    verified,
    broken: broken ?? (isEnd ? await checkEnd(trx, last, upTo, head) : null),
    head,
    isEnd,
  };
}

/** Finds an event where the log has none: before id 1, or among the dropped events. */
async function findStrayEvent(trx: Parameters<typeof findHead>[0], anchors: Anchor[]): Promise<Break | null> {
  const dropped = droppedUpTo(anchors);
  const first = await findFirstIdAfter(trx, Number.MIN_SAFE_INTEGER);
  if (first === null || first > (dropped?.id ?? 0)) return null;
  if (dropped === null) return { id: first, reason: 'It was not recorded: the log begins with 1.' };
  return {
    id: first,
    reason: `It exists, although an anchor says that all events up to ${dropped.id} were dropped: the anchor is forged.`,
  };
}

/** The link before the first event of the range, or the reason why there is none. */
async function findStart(trx: Parameters<typeof findHead>[0], from: number, anchors: Anchor[]): Promise<Link | Break> {
  const anchor = anchorFor(from, anchors);
  if (anchor !== null) return { id: anchor.id, hash: anchor.hash };
  const hash = await findHash(trx, from - 1);
  if (hash === undefined) return { id: from - 1, reason: 'It is missing.' };
  if (hash !== null) return { id: from - 1, hash };
  const isBeforeChain = anchors.some(({ id, reason }) => reason === 'beginning' && id >= from);
  return isBeforeChain ? { id: from - 1, hash: '' } : { id: from - 1, reason: 'It has no hash.' };
}

/** Compares the end of the range and of the log with the recorder's position, which is stored apart from the log. */
async function checkEnd(
  trx: Parameters<typeof findHead>[0],
  last: Link,
  upTo: number,
  head: Link,
): Promise<Break | null> {
  if (last.id < upTo) return { id: last.id + 1, reason: `It is missing: ${head.id} events have been recorded.` };
  if (last.id !== head.id) return null;
  if (last.hash !== head.hash) return { id: head.id, reason: 'Its hash is not the one that the recorder stored.' };
  const next = await findFirstIdAfter(trx, head.id);
  return next === null ? null : { id: next, reason: `It was not recorded: the log ends with ${head.id}.` };
}

export interface HeadsCheck {
  /** The first head that the log contradicts. */
  broken: Break | null;
  /** The number of heads that cannot be checked, because their events were dropped. */
  gone: number;
  /** The last dropped event; null when no event was dropped. */
  droppedUpTo: number | null;
}

/**
 * Compares heads that were exported earlier with the log. Dropped events cannot be verified. Only the file of heads
 * shows whether retention dropped them; `file` is null without one.
 */
export async function checkHeads(
  db: Database<EventsTables>,
  heads: readonly Link[],
  file: ExportedHeads | null = null,
): Promise<HeadsCheck> {
  return inReadTransaction(db, async (trx) => {
    const head = await findHead(trx);
    const anchors = await findAnchors(trx);
    const isForged = (await findStrayEvent(trx, anchors)) !== null;
    const dropped = isForged ? null : droppedUpTo(anchors);
    const exported = [...heads, ...(file?.heads ?? [])];
    const gone = dropped === null ? 0 : exported.filter(({ id }) => id <= dropped.id).length;
    const result = (broken: Break | null): HeadsCheck => ({ broken, gone, droppedUpTo: dropped?.id ?? null });
    // The last event of a drop is also a head: that of the dropped events.
    for (const link of [...exported, ...(file?.dropped ?? [])].sort((a, b) => a.id - b.id)) {
      if (dropped !== null && link.id < dropped.id) continue;
      if (link.id > head.id) {
        return result({ id: head.id + 1, reason: `It is missing: a head with the id ${link.id} was exported.` });
      }
      const found = link.id === dropped?.id ? dropped.hash : await findHash(trx, link.id);
      if ((found ?? '') !== link.hash) {
        return result({
          id: link.id,
          reason: `It was exported with the hash ${link.hash} and has ${found || 'none'} now: the log was rewritten here or before.`,
        });
      }
    }
    if (dropped !== null && gone > 0 && file !== null && !file.dropped.some(({ id }) => id === dropped.id)) {
      return result({
        id: dropped.id,
        reason: 'It and all events before it are gone, and the file of heads records no retention that dropped them.',
      });
    }
    return result(null);
  });
}
