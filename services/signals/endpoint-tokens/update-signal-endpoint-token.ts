import type { RequestContext } from '@yardarm/shared/bus';
import type { SignalEndpointToken } from '@yardarm/shared/contracts/signals';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import { endpointNotFound, endpointOrderingKey } from '../endpoints/endpoint.ts';
import { lockEndpoint } from '../endpoints/endpoints.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { tokenNameTaken, tokenNotFound, toSignalEndpointToken } from './endpoint-token.ts';
import { findEndpointToken, tokenNameConstraint, updateEndpointTokenName } from './endpoint-tokens.repo.ts';

/** Renames a token. Gateways do not know its name, so there is no hint. */
export async function updateSignalEndpointToken(
  { db }: SignalsResources,
  { signalEndpointId, id, name }: { signalEndpointId: number; id: number; name: string },
  context: RequestContext,
): Promise<SignalEndpointToken> {
  try {
    return await db.transaction(async (trx) => {
      if (!(await lockEndpoint(trx, signalEndpointId))) throw endpointNotFound(signalEndpointId);
      const before = await findEndpointToken(trx, signalEndpointId, id);
      if (!before) throw tokenNotFound(id, signalEndpointId);
      const after = toSignalEndpointToken({ ...before, name });
      if (before.name === name) return after;
      await updateEndpointTokenName(trx, id, name);
      appendEvent(trx, {
        type: 'signal-endpoint-token-updated',
        data: { ...after },
        preData: { ...toSignalEndpointToken(before) },
        orderingKey: endpointOrderingKey(signalEndpointId),
        ...eventOrigin(context),
      });
      return after;
    });
  } catch (error) {
    if (isUniqueViolation(error, tokenNameConstraint)) throw tokenNameTaken(name, signalEndpointId);
    throw error;
  }
}
