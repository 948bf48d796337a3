import type { BlockEnd } from '@yardarm/shared/contracts/signals';

/**
 * The ledger of an endpoint: the blocks that count towards its rate. All times are milliseconds of the database's
 * clock.
 *
 * A block is `count` admissions. The signal of an admission has a createdAt from `grantedAt` to `endsAt`. States:
 *
 *   open     The gateway that holds it may use it until `endsAt`, which is the grant time plus the lifetime.
 *   reported Its gateway uses it no more. `endsAt` is the createdAt of its last signal, `count` its number of signals.
 *   over     A second has passed since `endsAt`. It no longer counts and leaves the ledger.
 *
 * An open block becomes over without a report, when its gateway was killed or had nothing more to send.
 *
 * Invariants:
 *
 *   1. Decisions about an endpoint happen one after another, because each holds the lock of the ledger's row until its
 *      commit. So each sees the blocks of all earlier ones, except those that had left the ledger.
 *   2. The times of stored decisions never decrease (`timeOf`). So a block that has left is over at every later one.
 *   3. When a block is granted, its count and the counts of all blocks that are not over do not exceed the limit.
 *
 * Proof that no sliding second of createdAt has more signals than the limit. Take any second, from `s` to before
 * `s + 1000`, and the blocks with a signal in it. Let M be the one that was granted last, at the time g. It has a
 * signal in the second, and none before g, so g < s + 1000. Every other block L of them was granted before M (1) and
 * has a signal at or after s. So L's `endsAt` is at least s, and `endsAt + 1000` is at least s + 1000, which is after
 * g: L was not over when M was granted. A later report leaves the time of L's last signal, so that holds with reports
 * too. So M's decision counted L with at least its signals (3), and the counts together did not exceed the limit.
 *
 * The proof assumes nothing about gateways but that createdAt is within the block: their clocks have no part in it, and
 * one that is killed uses less. When the database's clock is set back by more than `maxSetBackMs`, the ledger begins
 * anew: its times would refuse all signals until the clock has caught up.
 */
export interface Block {
  /** The first of its signal ids, which no other block has. */
  id: number;
  grantedAt: number;
  endsAt: number;
  count: number;
}

export interface Ledger {
  blocks: readonly Block[];
  /** The time of the last decision that was stored. */
  lastAt: number;
}

export interface Demand {
  limit: number;
  requested: number;
  lifetimeMs: number;
  ended: readonly BlockEnd[];
}

export interface Decision {
  /** The time of the decision: the grant time of its block. */
  at: number;
  /** What remains in the ledger, without the new block. */
  blocks: Block[];
  /** Null when nothing is granted. It gets its id with its signal ids. */
  granted: Omit<Block, 'id'> | null;
  /** From the time of the database's clock until an admission can next be free; 0 when one is free now. */
  retryAfterMs: number;
}

/** A block counts until this time after its end, so that the second after its last signal is over. */
const windowMs = 1_000;

/** Time services set clocks back by less. An endpoint refuses signals for at most this time. */
const maxSetBackMs = 1_000;

/** Decides about a demand at a time of the database's clock. */
export function decide(ledger: Ledger, now: number, { limit, requested, lifetimeMs, ended }: Demand): Decision {
  const at = timeOf(ledger, now);
  const isNewTime = at < ledger.lastAt;
  const reports = new Map(ended.map((end) => [end.leaseId, end]));
  const blocks = isNewTime
    ? []
    : ledger.blocks.map((block) => endBlock(block, reports.get(block.id))).filter((block) => !isOver(block, at));
  const free = limit - countOf(blocks);
  const most = shareOf(limit, lifetimeMs);
  const count = Math.max(0, Math.min(requested, free, most));
  // At a low rate a block is one admission for the request that asked. An open lifetime would delay the next one.
  const endsAt = most === 1 ? at : at + lifetimeMs;
  const granted = count === 0 ? null : { grantedAt: at, endsAt, count };
  const counting = granted ? [...blocks, granted] : blocks;
  const freeAt = nextFree(counting, limit);
  return { at, blocks, granted, retryAfterMs: freeAt === null ? 0 : Math.max(1, freeAt - now) };
}

/** The clock's time, or that of the last decision when the clock was set back a little. */
function timeOf({ lastAt }: Ledger, now: number): number {
  return now < lastAt && lastAt - now <= maxSetBackMs ? lastAt : now;
}

/** A report can only shorten a block. */
function endBlock(block: Block, report: BlockEnd | undefined): Block {
  if (!report) return block;
  const endsAt = Math.max(block.grantedAt, Math.min(block.endsAt, report.endedAt));
  return { ...block, endsAt, count: Math.min(block.count, report.used) };
}

function isOver({ endsAt, count }: Block, at: number): boolean {
  return count === 0 || endsAt + windowMs <= at;
}

function countOf(blocks: readonly Pick<Block, 'count'>[]): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}

/**
 * The most admissions of a block: the endpoint's share of its lifetime, rounded up. So the first gateway does not get a
 * whole second of signals.
 */
function shareOf(limit: number, lifetimeMs: number): number {
  return Math.ceil((limit * lifetimeMs) / windowMs);
}

/** When so many blocks are over that an admission is free; null when one is free without that. */
function nextFree(blocks: readonly Pick<Block, 'endsAt' | 'count'>[], limit: number): number | null {
  let used = countOf(blocks);
  if (used < limit) return null;
  for (const { endsAt, count } of blocks.toSorted((a, b) => a.endsAt - b.endsAt)) {
    used -= count;
    if (used < limit) return endsAt + windowMs;
  }
  return null;
}
