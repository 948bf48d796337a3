import type { Database } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { atOneMoment, findAnchors, findFirstIdAfter, findHash, findHead, findLinks } from './chain.repo.ts';
import { type Anchor, anchorFor, type Break, droppedUpTo, follow, type Link } from './chain.ts';
import type { ExportedHeads } from './heads-file.ts';

export { type ExportedHeads, readHeads } from './heads-file.ts';

/** An event has a megabyte at the most: this many in memory at once, whatever the range. */
const batchSize = 100;

/** A call answers well within a request's ten seconds; the caller goes on from `next`. */
const budgetMs = 2_000;

export interface Verification {
  /** The first event that was looked at: the range's, or the first that can be verified. */
  from: number;
  /** The last event that was looked at. */
  to: number;
  /** How many events are what was recorded. */
  verified: number;
  firstBroken: Break | null;
  /** The newest event of the log by its recorder. */
  head: Link;
  /** Where to go on when the time was up before the range was; null when it is done, or broken. */
  next: number | null;
}

/** Verifies the chain over a range of ids, as far as it comes in about two seconds. A range that ends behind the log ends with it. */
export async function verifyLog(
  db: Database<EventsTables>,
  range: { from: number; to?: number | undefined },
): Promise<Verification> {
  const until = performance.now() + budgetMs;
  let verified = 0;
  let next = range.from;
  let from: number | null = null;
  for (;;) {
    const step = await atOneMoment(db, (trx) => verifyStep(trx, next, range.to));
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
  const stray = await strayBefore(trx, anchors);
  if (stray !== null) return { from, to: from, verified: 0, broken: stray, head, isEnd: false };
  if (from > head.id + 1) return { from, to: head.id, verified: 0, broken: null, head, isEnd: true };
  const start = await startOf(trx, from, anchors);
  if ('reason' in start) return { from, to: from, verified: 0, broken: start, head, isEnd: false };
  const upTo = Math.min(to, head.id);
  const events = await findLinks(trx, start.id, upTo, batchSize);
  const { last, verified, broken } = follow(start, events, anchors);
  const isEnd = events.length < batchSize;
  return {
    from: start.id + 1,
    to: broken?.id ?? last.id,
    verified,
    broken: broken ?? (isEnd ? await atTheEnd(trx, last, upTo, head) : null),
    head,
    isEnd,
  };
}

/** An event where the log should not have begun yet: before the first one ever, or among those that were dropped. */
async function strayBefore(trx: Parameters<typeof findHead>[0], anchors: Anchor[]): Promise<Break | null> {
  const dropped = droppedUpTo(anchors);
  const first = await findFirstIdAfter(trx, Number.MIN_SAFE_INTEGER);
  if (first === null || first > (dropped?.id ?? 0)) return null;
  if (dropped === null) return { id: first, reason: 'It was not recorded: the log begins with 1.' };
  return {
    id: first,
    reason: `It is there, although all events up to ${dropped.id} are said to have been dropped: that was forged.`,
  };
}

/** What the first event of the range is chained on, or why that cannot be said. */
async function startOf(trx: Parameters<typeof findHead>[0], from: number, anchors: Anchor[]): Promise<Link | Break> {
  const anchor = anchorFor(from, anchors);
  if (anchor !== null) return { id: anchor.id, hash: anchor.hash };
  const hash = await findHash(trx, from - 1);
  if (hash === undefined) return { id: from - 1, reason: 'It is missing.' };
  if (hash !== null) return { id: from - 1, hash };
  const isBeforeChain = anchors.some(({ id, reason }) => reason === 'beginning' && id >= from);
  return isBeforeChain ? { id: from - 1, hash: '' } : { id: from - 1, reason: 'It carries no hash.' };
}

/** The end of the range, and of the log, held against what the recorder remembers apart from the log. */
async function atTheEnd(
  trx: Parameters<typeof findHead>[0],
  last: Link,
  upTo: number,
  head: Link,
): Promise<Break | null> {
  if (last.id < upTo) return { id: last.id + 1, reason: `It is missing: ${head.id} events have been recorded.` };
  if (last.id !== head.id) return null;
  if (last.hash !== head.hash) return { id: head.id, reason: 'The recorder knows it by another hash.' };
  const behind = await findFirstIdAfter(trx, head.id);
  return behind === null ? null : { id: behind, reason: `It was not recorded: the log ends with ${head.id}.` };
}

export interface HeadsCheck {
  /** The first head that the log does not bear out. */
  broken: Break | null;
  /** How many heads have nothing in the log any more to be held against, since their events were dropped. */
  gone: number;
  /** The last event that was dropped; null when none was. */
  droppedUpTo: number | null;
}

/**
 * Holds heads that were exported earlier against the log. What was dropped cannot be verified any more; whether it was retention that
 * dropped it is told by the file of heads, or by nothing: `told` is null without one.
 */
export async function checkHeads(
  db: Database<EventsTables>,
  heads: readonly Link[],
  told: ExportedHeads | null = null,
): Promise<HeadsCheck> {
  return atOneMoment(db, async (trx) => {
    const head = await findHead(trx);
    const anchors = await findAnchors(trx);
    const isForged = (await strayBefore(trx, anchors)) !== null;
    const dropped = isForged ? null : droppedUpTo(anchors);
    const exported = [...heads, ...(told?.heads ?? [])];
    const gone = dropped === null ? 0 : exported.filter(({ id }) => id <= dropped.id).length;
    const result = (broken: Break | null): HeadsCheck => ({ broken, gone, droppedUpTo: dropped?.id ?? null });
    // The last event of a drop was the head of what went.
    for (const link of [...exported, ...(told?.dropped ?? [])].sort((a, b) => a.id - b.id)) {
      if (dropped !== null && link.id < dropped.id) continue;
      if (link.id > head.id) {
        return result({ id: head.id + 1, reason: `It is missing: a head of ${link.id} has been exported.` });
      }
      const found = link.id === dropped?.id ? dropped.hash : await findHash(trx, link.id);
      if ((found ?? '') !== link.hash) {
        return result({
          id: link.id,
          reason: `It was exported with the hash ${link.hash} and has ${found || 'none'} now: the log was rewritten here or before.`,
        });
      }
    }
    if (dropped !== null && gone > 0 && told !== null && !told.dropped.some(({ id }) => id === dropped.id)) {
      return result({
        id: dropped.id,
        reason: 'It and all before it are gone, and the file of heads tells of no retention that dropped them.',
      });
    }
    return result(null);
  });
}
