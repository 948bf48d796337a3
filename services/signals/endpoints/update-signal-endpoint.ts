import type { RequestContext } from '@yardarm/shared/bus';
import { type SignalEndpoint, signalEndpointChangedHint } from '@yardarm/shared/contracts/signals';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import { findEndpointTokens } from '../endpoint-tokens/endpoint-tokens.repo.ts';
import type { SignalsResources } from '../resources.ts';
import {
  type EndpointDefinition,
  endpointEventData,
  endpointNameTaken,
  endpointNotFound,
  endpointOrderingKey,
  isSameDefinition,
  toSignalEndpoint,
} from './endpoint.ts';
import { endpointNameConstraint, lockEndpoint, updateEndpointRow } from './endpoints.repo.ts';

export async function updateSignalEndpoint(
  resources: SignalsResources,
  { id, ...definition }: EndpointDefinition & { id: number },
  context: RequestContext,
): Promise<SignalEndpoint> {
  try {
    return await change(resources, id, definition, context);
  } catch (error) {
    if (isUniqueViolation(error, endpointNameConstraint)) throw endpointNameTaken(definition.name);
    throw error;
  }
}

export async function switchSignalEndpoint(
  resources: SignalsResources,
  { id, enabled }: { id: number; enabled: boolean },
  context: RequestContext,
): Promise<SignalEndpoint> {
  return change(resources, id, { enabled }, context);
}

/** A hint makes gateways ask again, since they cache the endpoint with its tokens. */
async function change(
  { db, bus }: SignalsResources,
  id: number,
  changes: Partial<EndpointDefinition>,
  context: RequestContext,
): Promise<SignalEndpoint> {
  return db.transaction(async (trx) => {
    const before = await lockEndpoint(trx, id);
    if (!before) throw endpointNotFound(id);
    const after = { ...before, ...changes };
    if (!isSameDefinition(before, after)) {
      await updateEndpointRow(trx, after);
      appendEvent(trx, {
        type: 'signal-endpoint-updated',
        data: endpointEventData(after),
        preData: endpointEventData(before),
        orderingKey: endpointOrderingKey(id),
        ...eventOrigin(context),
      });
      trx.onCommit(() => bus.hint(signalEndpointChangedHint, { endpointId: id }));
    }
    return toSignalEndpoint(after, await findEndpointTokens(trx, id));
  });
}
