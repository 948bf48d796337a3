import type { Database } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import { atOneMoment, firstIdAfter, readAnchors, readHash, readHead, readLinks } from './chain.repo.ts';
import { type Anchor, anchorFor, type Break, follow, type Link } from './chain.ts';

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
  trx: Parameters<typeof readHead>[0],
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): Promise<Step> {
  const head = await readHead(trx);
  if (from > head.id + 1) return { from, to: head.id, verified: 0, broken: null, head, isEnd: true };
  const anchors = await readAnchors(trx);
  const start = await startOf(trx, from, anchors);
  if ('reason' in start) return { from, to: from, verified: 0, broken: start, head, isEnd: false };
  const upTo = Math.min(to, head.id);
  const events = await readLinks(trx, start.id, upTo, batchSize);
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

/** What the first event of the range is chained on, or why that cannot be said. */
async function startOf(trx: Parameters<typeof readHead>[0], from: number, anchors: Anchor[]): Promise<Link | Break> {
  const anchor = anchorFor(from, anchors);
  if (anchor !== null) return { id: anchor.id, hash: anchor.hash };
  const hash = await readHash(trx, from - 1);
  if (hash === undefined) return { id: from - 1, reason: 'It is missing.' };
  if (hash !== null) return { id: from - 1, hash };
  const isBeforeChain = anchors.some(({ id, reason }) => reason === 'beginning' && id >= from);
  return isBeforeChain ? { id: from - 1, hash: '' } : { id: from - 1, reason: 'It carries no hash.' };
}

/** The end of the range, and of the log, held against what the recorder remembers apart from the log. */
async function atTheEnd(
  trx: Parameters<typeof readHead>[0],
  last: Link,
  upTo: number,
  head: Link,
): Promise<Break | null> {
  if (last.id < upTo) return { id: last.id + 1, reason: `It is missing: ${head.id} events have been recorded.` };
  if (last.id !== head.id) return null;
  if (last.hash !== head.hash) return { id: head.id, reason: 'The recorder knows it by another hash.' };
  const behind = await firstIdAfter(trx, head.id);
  return behind === null ? null : { id: behind, reason: `It was not recorded: the log ends with ${head.id}.` };
}

/**
 * Holds heads that were exported earlier against the log; returns the first that it does not bear out. What retention has dropped up to
 * a head cannot be compared any more.
 */
export async function checkHeads(db: Database<EventsTables>, heads: readonly Link[]): Promise<Break | null> {
  return atOneMoment(db, async (trx) => {
    const head = await readHead(trx);
    const anchors = await readAnchors(trx);
    const goneUpTo = anchors.findLast(({ reason }) => reason === 'retention');
    for (const exported of [...heads].sort((a, b) => a.id - b.id)) {
      if (goneUpTo !== undefined && exported.id < goneUpTo.id) continue;
      if (exported.id > head.id) {
        return { id: head.id + 1, reason: `It is missing: a head of ${exported.id} has been exported.` };
      }
      const found = exported.id === goneUpTo?.id ? goneUpTo.hash : await readHash(trx, exported.id);
      if (found !== exported.hash) {
        return {
          id: exported.id,
          reason: `It was exported with the hash ${exported.hash} and has ${found ?? 'none'} now: the log was rewritten here or before.`,
        };
      }
    }
    return null;
  });
}
