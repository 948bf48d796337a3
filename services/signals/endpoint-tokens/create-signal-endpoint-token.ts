import { makeToken } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { SignalEndpointToken } from '@yardarm/shared/contracts/signals';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import { endpointNotFound, endpointOrderingKey } from '../endpoints/endpoint.ts';
import { lockEndpoint } from '../endpoints/endpoints.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { requireBelowTokenLimit, tokenNameTaken, toSignalEndpointToken } from './endpoint-token.ts';
import { findEndpointTokens, insertEndpointToken, tokenNameConstraint } from './endpoint-tokens.repo.ts';

/** Only this answer contains the secret of the token. */
export async function createSignalEndpointToken(
  { db, tokenLimit }: SignalsResources,
  { signalEndpointId, name }: { signalEndpointId: number; name: string },
  context: RequestContext,
): Promise<SignalEndpointToken> {
  const origin = eventOrigin(context);
  const { token: secret, selector, hash } = makeToken('signal_');
  try {
    return await db.transaction(async (trx) => {
      const endpoint = await lockEndpoint(trx, signalEndpointId);
      if (!endpoint) throw endpointNotFound(signalEndpointId);
      const existing = await findEndpointTokens(trx, signalEndpointId);
      requireBelowTokenLimit(existing.length, tokenLimit, signalEndpointId);
      const stored = await insertEndpointToken(trx, {
        endpointId: signalEndpointId,
        name,
        selector,
        hash,
        createdByUserId: origin.actor.id,
      });
      appendEvent(trx, {
        type: 'signal-endpoint-token-created',
        data: { ...toSignalEndpointToken(stored) },
        orderingKey: endpointOrderingKey(signalEndpointId),
        ...origin,
      });
      return toSignalEndpointToken(stored, secret);
    });
  } catch (error) {
    if (isUniqueViolation(error, tokenNameConstraint)) throw tokenNameTaken(name, signalEndpointId);
    throw error;
  }
}
