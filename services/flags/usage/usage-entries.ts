import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import { omittedUsageEntries } from '../metrics.ts';
import { insertOtherApplications } from './reported.repo.ts';
import { noToken, takeShares } from './token-shares.repo.ts';
import { type HourlyUsage, hourOf, mergeUsage, otherApplications, type UsageBounds } from './usage.ts';
import { findNewUsage, type NewUsage } from './usage-entries.repo.ts';

type Trx = Transaction<FlagsTables>;
type EntryBounds = Pick<UsageBounds, 'entriesOfToken' | 'entries' | 'frontendEntriesOfToken' | 'frontendEntries'>;

/** Stand for all tokens of a kind, which no token has as its id. */
const allClients = -1;
const allFrontends = -2;

/**
 * The rows as they are stored within the entries that their tokens may still make today. An entry is a row, or a name
 * of a variant in a row. No count is lost: a new row beyond the bound is added to that of `other-applications` in the
 * hour of `now`, without variants, and a row that exists gets no new names of variants. So beyond the bound reports
 * make one row for each flag, environment and hour, whatever names and times they choose.
 */
export async function withinEntriesOfTokens(
  trx: Trx,
  rows: readonly HourlyUsage[],
  bounds: EntryBounds,
  now: number,
): Promise<readonly HourlyUsage[]> {
  const found = await findNewUsage(trx, rows);
  if (found.length === 0) return rows;
  const left = await takeEntries(trx, rows, found, bounds);
  const kept = [...rows];
  let omitted = 0;
  let isFolded = false;
  for (const added of found) {
    const row = rows[added.index]!;
    const shares = sharesOf(row);
    const entries = entriesOf(added);
    if (shares.every((share) => left.get(share)! >= entries)) {
      for (const share of shares) left.set(share, left.get(share)! - entries);
      continue;
    }
    omitted += entries;
    isFolded ||= added.isNew;
    kept[added.index] = added.isNew ? folded(row, now) : withoutVariants(row, added.variants);
  }
  if (omitted === 0) return rows;
  if (isFolded) await insertOtherApplications(trx);
  trx.onCommit(() => omittedUsageEntries.inc(omitted));
  return mergeUsage(kept);
}

/** Takes what the rows want of the share of each token, and what these may have of that of all tokens of the kind. */
async function takeEntries(
  trx: Trx,
  rows: readonly HourlyUsage[],
  found: readonly NewUsage[],
  bounds: EntryBounds,
): Promise<Map<number, number>> {
  const wanted = new Map<number, { tokenId: number; count: number; bound: number; ofAll: number }>();
  for (const added of found) {
    const row = rows[added.index]!;
    const [tokenId, ofAll] = sharesOf(row);
    const bound = row.isFrontend ? bounds.frontendEntriesOfToken : bounds.entriesOfToken;
    const known = wanted.get(tokenId) ?? { tokenId, count: 0, bound, ofAll };
    wanted.set(tokenId, { ...known, count: known.count + entriesOf(added) });
  }
  const ofTokens = await takeShares(trx, 'usage_entries', [...wanted.values()]);
  const wantedOfAll = [allClients, allFrontends].map((tokenId) => {
    const ofKind = [...wanted.values()].filter(({ ofAll }) => ofAll === tokenId);
    const count = ofKind.reduce((sum, one) => sum + ofTokens.get(one.tokenId)!, 0);
    return { tokenId, count, bound: tokenId === allClients ? bounds.entries : bounds.frontendEntries };
  });
  return new Map([...ofTokens, ...(await takeShares(trx, 'usage_entries', wantedOfAll))]);
}

function sharesOf({ tokenId, isFrontend }: HourlyUsage): [number, number] {
  return [tokenId ?? noToken, isFrontend ? allFrontends : allClients];
}

function entriesOf({ isNew, variants }: NewUsage): number {
  return (isNew ? 1 : 0) + variants.length;
}

function folded(row: HourlyUsage, now: number): HourlyUsage {
  return { ...row, application: otherApplications, hour: hourOf(now), variants: {} };
}

function withoutVariants(row: HourlyUsage, names: readonly string[]): HourlyUsage {
  const omitted = new Set(names);
  return { ...row, variants: Object.fromEntries(Object.entries(row.variants).filter(([name]) => !omitted.has(name))) };
}
