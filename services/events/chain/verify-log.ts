import type { Database } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';
import {
  findAnchors,
  findFirstIdAfter,
  findHash,
  findHashes,
  findHead,
  findLinks,
  inReadTransaction,
} from './chain.repo.ts';
import { type Anchor, anchorFor, type Break, droppedUpTo, type Link, verifyLinks } from './chain.ts';
import { type ExportedHeads, noHeads, type TimedLink } from './heads-file.ts';

export { appendRestored, type ExportedHeads, noHeads, readHeadsIn } from './heads-file.ts';

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
  matched: number;
  /** The newest event of these heads. Only the chain protects later events. */
  newest: number;
  /** The number of heads that cannot be checked, because their events were dropped. */
  gone: number;
  /** The last dropped event; null when no event was dropped. */
  droppedUpTo: number | null;
  /** The restores of the database that the files record, and how many lines about lost events each explains. */
  restores: { at: string; id: number; lost: number }[];
}

/** One statement for so many heads, instead of one for each. A year of heads has half a million. */
const headsPerStatement = 10_000;

/**
 * Compares heads that were exported earlier with the log. Dropped events cannot be verified. Only files of heads show
 * whether retention dropped them, and whether a restore lost the events of newer heads; `files` is null without them.
 */
export async function checkHeads(
  db: Database<EventsTables>,
  heads: readonly Link[],
  files: ExportedHeads | null = null,
): Promise<HeadsCheck> {
  return inReadTransaction(db, async (trx) => {
    const head = await findHead(trx);
    const anchors = await findAnchors(trx);
    const isForged = (await findStrayEvent(trx, anchors)) !== null;
    const dropped = isForged ? null : droppedUpTo(anchors);
    const { kept, restores } = withoutLost(files ?? noHeads());
    const exported = [...heads, ...kept.heads];
    const isHead = new Set<Link>(exported);
    const check: HeadsCheck = {
      ...{ broken: null, matched: 0, newest: 0, restores, droppedUpTo: dropped?.id ?? null },
      gone: dropped === null ? 0 : exported.filter(({ id }) => id <= dropped.id).length,
    };
    // The last event of a drop or restore is also a head: that of the events before it.
    const links = [...exported, ...kept.dropped, ...kept.restored]
      .filter(({ id }) => id > 0 && id >= (dropped?.id ?? 0))
      .sort((a, b) => a.id - b.id);
    for (let from = 0; from < links.length; from += headsPerStatement) {
      const portion = links.slice(from, from + headsPerStatement);
      const hashes = await findHashes(trx, [...new Set(portion.map(({ id }) => id))]);
      for (const link of portion) {
        const found = (link.id === dropped?.id ? dropped.hash : hashes.get(link.id)) ?? '';
        if (link.id > head.id || found !== link.hash) return { ...check, broken: breakAt(link, found, head, check) };
        check.newest = link.id;
        if (isHead.has(link) && link.id > (dropped?.id ?? 0)) check.matched += 1;
      }
    }
    const isRecorded = files === null || kept.dropped.some(({ id }) => id === dropped?.id);
    if (dropped !== null && check.gone > 0 && !isRecorded) {
      const reason =
        'It and all events before it are gone, and the files of heads record no retention that dropped them.';
      return { ...check, broken: { id: dropped.id, reason } };
    }
    return check;
  });
}

function breakAt({ id, hash }: Link, found: string, head: Link, { newest, droppedUpTo }: HeadsCheck): Break {
  if (id > head.id) return { id: head.id + 1, reason: `It is missing: a head with the id ${id} was exported.` };
  const first = Math.max(newest, droppedUpTo ?? 0) + 1;
  const changed = first < id ? `an event from ${first} to ${id}` : `event ${id}`;
  return {
    id,
    reason: `It was exported with the hash ${hash} and has ${found || 'none'} now: the first one that was rewritten is ${changed}.`,
  };
}

/**
 * Leaves out what a restore explains: what was exported before it about events that the backup did not have. The log
 * has other events with these ids now, or none.
 */
function withoutLost({ heads, dropped, restored }: ExportedHeads): {
  kept: ExportedHeads;
  restores: HeadsCheck['restores'];
} {
  const restores = restored.map(({ at, id }) => ({ at, id, lost: 0 })).sort((a, b) => (a.at < b.at ? -1 : 1));
  const keep = (link: TimedLink): boolean => {
    const restore = restores.find(({ at, id }) => link.at < at && link.id > id);
    if (restore !== undefined) restore.lost += 1;
    return restore === undefined;
  };
  const kept = { heads: heads.filter(keep), dropped: dropped.filter(keep), restored: restored.filter(keep) };
  return { kept, restores };
}
