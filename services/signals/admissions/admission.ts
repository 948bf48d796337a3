import { type LeaseEnd, maxSingleRate } from '@yardarm/shared/contracts/signals';

/**
 * The ledger of an endpoint's admissions. All times are milliseconds of the database's clock.
 *
 * A lease is `count` admissions. The signal of an admission has a createdAt from `grantedAt` to `endsAt`. States:
 *
 *   open     The gateway that holds it may use it until `endsAt`, which is the grant time plus the lifetime.
 *   reported Its gateway uses it no more. `endsAt` is the createdAt of its last signal, `count` its number of signals.
 *   over     A second has passed since `endsAt`. It no longer counts and leaves the ledger.
 *
 * An open lease becomes over without a report, when its gateway was killed or had nothing more to send.
 *
 * Invariants:
 *
 *   1. Decisions about an endpoint happen one after another, because each holds the lock of the ledger's row until its
 *      commit. So each sees the leases of all earlier ones, except those that had left the ledger.
 *   2. The times of stored decisions never decrease (`timeOf`). So a lease that has left is over at every later one.
 *   3. When a lease is granted, its count and the counts of all leases that are not over do not exceed the limit.
 *
 * Proof that no sliding second of createdAt has more signals than the limit. Take any second, from `s` to before
 * `s + 1000`, and the leases with a signal in it. Let M be the one that was granted last, at the time g. It has a
 * signal in the second, and none before g, so g < s + 1000. Every other lease L of them was granted before M (1) and
 * has a signal at or after s. So L's `endsAt` is at least s, and `endsAt + 1000` is at least s + 1000, which is after
 * g: L was not over when M was granted. A later report leaves the time of L's last signal, so that holds with reports
 * too. So M's decision counted L with at least its signals (3), and the counts together did not exceed the limit.
 *
 * The proof assumes nothing about gateways but that createdAt is within the lease: their clocks have no part in it, and
 * one that is killed uses less. When the database's clock is set back by more than `maxSetBackMs`, the ledger begins
 * anew: its times would refuse all signals until the clock has caught up.
 */
export interface Lease {
  /** The first of its signal ids, which no other lease has. */
  id: number;
  grantedAt: number;
  endsAt: number;
  count: number;
}

export interface Ledger {
  leases: readonly Lease[];
  /** The time of the last decision that was stored. */
  lastAt: number;
}

export interface Demand {
  limit: number;
  wanted: number;
  lifetimeMs: number;
  ended: readonly LeaseEnd[];
}

export interface Decision {
  /** The time of the decision: the grant time of its lease. */
  at: number;
  /** What remains in the ledger, without the new lease. */
  leases: Lease[];
  /** Null when nothing is granted. It gets its id with its signal ids. */
  granted: Omit<Lease, 'id'> | null;
  /** From the time of the database's clock until an admission can next be free; 0 when one is free now. */
  retryAfterMs: number;
}

/** A lease counts until this time after its end, so that the second after its last signal is over. */
const windowMs = 1_000;

/** Time services set clocks back by less. An endpoint refuses signals for at most this time. */
const maxSetBackMs = 1_000;

/** Decides about a demand at a time of the database's clock. */
export function decide(ledger: Ledger, now: number, { limit, wanted, lifetimeMs, ended }: Demand): Decision {
  const at = timeOf(ledger, now);
  const isNewTime = at < ledger.lastAt;
  const reports = new Map(ended.map((end) => [end.leaseId, end]));
  const leases = isNewTime
    ? []
    : ledger.leases.map((lease) => endLease(lease, reports.get(lease.id))).filter((lease) => !isOver(lease, at));
  const free = limit - countOf(leases);
  const lifetime = limit <= maxSingleRate ? 0 : lifetimeMs;
  const count = Math.max(0, Math.min(wanted, free, maxCount(limit, lifetime)));
  const granted = count === 0 ? null : { grantedAt: at, endsAt: at + lifetime, count };
  const counting = granted ? [...leases, granted] : leases;
  const freeAt = nextFree(counting, limit);
  return { at, leases, granted, retryAfterMs: freeAt === null ? 0 : Math.max(1, freeAt - now) };
}

/** The clock's time, or that of the last decision when the clock was set back a little. */
function timeOf({ lastAt }: Ledger, now: number): number {
  return now < lastAt && lastAt - now <= maxSetBackMs ? lastAt : now;
}

/** A report can only shorten a lease. */
function endLease(lease: Lease, report: LeaseEnd | undefined): Lease {
  if (!report) return lease;
  const endsAt = Math.max(lease.grantedAt, Math.min(lease.endsAt, report.endedAt));
  return { ...lease, endsAt, count: Math.min(lease.count, report.used) };
}

function isOver({ endsAt, count }: Lease, at: number): boolean {
  return count === 0 || endsAt + windowMs <= at;
}

function countOf(leases: readonly Pick<Lease, 'count'>[]): number {
  return leases.reduce((sum, { count }) => sum + count, 0);
}

/**
 * A block has at most the endpoint's share of its lifetime, so that the first gateway does not get a whole second of
 * signals. Rounded up, so that a rate below 20 has blocks of one.
 */
function maxCount(limit: number, lifetimeMs: number): number {
  return lifetimeMs === 0 ? 1 : Math.ceil((limit * lifetimeMs) / windowMs);
}

/** When so many leases are over that an admission is free; null when one is free without that. */
function nextFree(leases: readonly Pick<Lease, 'endsAt' | 'count'>[], limit: number): number | null {
  let used = countOf(leases);
  if (used < limit) return null;
  for (const { endsAt, count } of leases.toSorted((a, b) => a.endsAt - b.endsAt)) {
    used -= count;
    if (used < limit) return endsAt + windowMs;
  }
  return null;
}
