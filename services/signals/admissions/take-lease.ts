import type { ClaimedSignal, KeyClaim, LeaseEnd } from '@yardarm/shared/contracts/signals';
import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { SignalsTables } from '../db/schema.ts';
import { endpointNotFound } from '../endpoints/endpoint.ts';
import { findKey, insertKey } from '../keys/keys.repo.ts';
import { countAdmissions } from '../metrics.ts';
import type { SignalsResources } from '../resources.ts';
import { decide } from './admission.ts';
import { holdLedgerBriefly, insertLease, type LockedEndpoint, lockLedger, updateLedger } from './admissions.repo.ts';

interface LeaseRequest {
  endpointId: number;
  /** Null when the token is not checked. */
  tokenId: number | null;
  wanted: number;
  lifetimeMs: number;
  ended: readonly LeaseEnd[];
}

interface LeaseAnswer {
  limit: number;
  lease: { ids: number[]; grantedAt: number; lifetimeMs: number } | null;
  claimed: ClaimedSignal | null;
  retryAfterMs: number;
}

/**
 * Grants a lease (admission.ts). One statement locks the ledger and checks endpoint and token, and one stores the lease
 * and draws its ids, sent with the commit. A claim locks the ledger before it reads the key, so that claims that race
 * take one admission.
 */
export async function takeLease(
  { db, ratePerSecond }: SignalsResources,
  { claim, tokenId, ...rest }: LeaseRequest & { tokenId: number; claim: KeyClaim | null },
): Promise<LeaseAnswer> {
  const answer = await db.transaction((trx) =>
    claim
      ? leaseForClaim(trx, ratePerSecond, { ...rest, tokenId }, claim)
      : leaseAdmissions(trx, ratePerSecond, { ...rest, tokenId }),
  );
  if (!answer.claimed || answer.lease) countAdmissions(answer.lease?.ids.length ?? 0);
  return answer;
}

/** For gateways of the release before: one admission, by the same ledger. */
export async function admitSignal({ db, ratePerSecond }: SignalsResources, { endpointId }: { endpointId: number }) {
  const request = { endpointId, tokenId: null, wanted: 1, lifetimeMs: 0, ended: [] };
  const { lease, retryAfterMs } = await db.transaction((trx) => leaseAdmissions(trx, ratePerSecond, request));
  countAdmissions(lease ? 1 : 0);
  if (!lease) return { admitted: false as const, retryAfterMs: Math.max(1, retryAfterMs) };
  return { admitted: true as const, id: lease.ids[0]! };
}

async function leaseAdmissions(
  trx: Transaction<SignalsTables>,
  ratePerSecond: number,
  { endpointId, tokenId, ...demand }: LeaseRequest,
): Promise<LeaseAnswer> {
  holdLedgerBriefly(trx);
  const endpoint = requireEndpoint(await lockLedger(trx, endpointId, tokenId), endpointId);
  const limit = endpoint.ratePerSecond ?? ratePerSecond;
  const decision = decide(endpoint.ledger, endpoint.now, { ...demand, limit });
  const { at, leases, granted, retryAfterMs } = decision;
  const answer: LeaseAnswer = { limit, lease: null, claimed: null, retryAfterMs };
  if (granted) {
    const ids: number[] = [];
    answer.lease = { ids, grantedAt: at, lifetimeMs: granted.endsAt - at };
    trx.defer(insertLease(endpointId, leases, granted), (rows) => ids.push(...rows.map(({ id }) => id)));
  } else if (demand.ended.length > 0) {
    // A refusal without reports writes nothing.
    trx.defer(updateLedger(endpointId, at, leases));
  }
  return answer;
}

async function leaseForClaim(
  trx: Transaction<SignalsTables>,
  ratePerSecond: number,
  { endpointId, tokenId, ended }: LeaseRequest & { tokenId: number },
  claim: KeyClaim,
): Promise<LeaseAnswer> {
  holdLedgerBriefly(trx);
  const endpoint = requireEndpoint(await lockLedger(trx, endpointId, tokenId), endpointId);
  const [[known]] = await trx.batch(findKey(tokenId, claim.key));
  const limit = endpoint.ratePerSecond ?? ratePerSecond;
  const decision = decide(endpoint.ledger, endpoint.now, { limit, ended, wanted: known ? 0 : 1, lifetimeMs: 0 });
  const { at, leases, granted, retryAfterMs } = decision;
  const answer = { limit, lease: null, claimed: null, retryAfterMs };
  if (known || !granted) {
    if (ended.length > 0) trx.defer(updateLedger(endpointId, at, leases));
    return { ...answer, claimed: known ?? null };
  }
  const [[drawn]] = await trx.batch(insertLease(endpointId, leases, granted));
  const stored = { id: drawn!.id, createdAt: at, bodyHash: claim.bodyHash };
  const [, [found]] = await trx.batch(insertKey(tokenId, claim.key, stored), findKey(tokenId, claim.key));
  // Another gateway may have claimed the key with an admission of its block. Then this one stays unused.
  const claimed = found ?? { ...stored, keptMs: 0 };
  return { ...answer, claimed, lease: { ids: [drawn!.id], grantedAt: at, lifetimeMs: 0 } };
}

function requireEndpoint(endpoint: LockedEndpoint | null, endpointId: number): LockedEndpoint {
  if (!endpoint) throw endpointNotFound(endpointId);
  if (!endpoint.hasToken) {
    throw new AppError('unauthenticated', 'You must log in to use Yardarm. The token that you sent is not valid.');
  }
  if (!endpoint.isEnabled) throw new AppError('not-found', `The signal endpoint "${endpoint.name}" is switched off.`);
  return endpoint;
}
