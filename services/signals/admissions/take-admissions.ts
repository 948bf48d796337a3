import type { BlockEnd, ClaimedSignal, KeyClaim } from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { endpointNotFound } from '../endpoints/endpoint.ts';
import { selectKey } from '../keys/keys.repo.ts';
import { countAdmissions } from '../metrics.ts';
import type { SignalsResources } from '../resources.ts';
import { holdLedgerBriefly, insertBlock, type LockedEndpoint, lockLedger, updateLedger } from './admissions.repo.ts';
import { decide } from './ledger.ts';

interface BlockRequest {
  endpointId: number;
  tokenId: number;
  wanted: number;
  lifetimeMs: number;
  ended: readonly BlockEnd[];
  claim: KeyClaim | null;
}

interface BlockAnswer {
  limit: number;
  lease: { ids: number[]; grantedAt: number; lifetimeMs: number } | null;
  claimed: ClaimedSignal | null;
  retryAfterMs: number;
}

/**
 * Grants a block (ledger.ts). One statement locks the ledger and checks endpoint and token, and one stores the block
 * and draws its ids, sent with the commit. For a gateway of the release before, a key that is known gets its signal and
 * no admission; with an admission that gateway claims the key by a request of its own.
 */
export async function takeAdmissions(
  { db, ratePerSecond }: SignalsResources,
  { endpointId, tokenId, claim, wanted, ...demand }: BlockRequest,
): Promise<BlockAnswer> {
  const answer = await db.transaction(async (trx): Promise<BlockAnswer> => {
    holdLedgerBriefly(trx);
    const endpoint = requireEndpoint(await lockLedger(trx, endpointId, tokenId), endpointId);
    const [[known = null]] = claim ? await trx.batch(selectKey(tokenId, claim.key)) : [[]];
    const limit = endpoint.ratePerSecond ?? ratePerSecond;
    const decision = decide(endpoint.ledger, endpoint.now, { ...demand, limit, requested: known ? 0 : wanted });
    const { at, blocks, granted, retryAfterMs } = decision;
    const refusal = { limit, lease: null, claimed: known, retryAfterMs };
    if (!granted) {
      // A refusal without reports writes nothing.
      if (demand.ended.length > 0) trx.defer(updateLedger(endpointId, at, blocks));
      return refusal;
    }
    const ids: number[] = [];
    trx.defer(insertBlock(endpointId, blocks, granted), (rows) => ids.push(...rows.map(({ id }) => id)));
    return { ...refusal, lease: { ids, grantedAt: at, lifetimeMs: granted.endsAt - at } };
  });
  if (!answer.claimed) countAdmissions(answer.lease?.ids.length ?? 0);
  return answer;
}

function requireEndpoint(endpoint: LockedEndpoint | null, endpointId: number): LockedEndpoint {
  if (!endpoint) throw endpointNotFound(endpointId);
  if (!endpoint.hasToken) {
    throw new AppError('unauthenticated', 'You must log in to use Yardarm. The token that you sent is not valid.');
  }
  if (!endpoint.isEnabled) throw new AppError('not-found', `The signal endpoint "${endpoint.name}" is switched off.`);
  return endpoint;
}
