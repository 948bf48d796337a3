import type { RequestContext } from '@yardarm/shared/bus';
import type { SignalEndpoint } from '@yardarm/shared/contracts/signals';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { SignalsResources } from '../resources.ts';
import {
  type EndpointDefinition,
  endpointEventData,
  endpointNameTaken,
  endpointOrderingKey,
  requireBelowEndpointLimit,
  toSignalEndpoint,
} from './endpoint.ts';
import { endpointNameConstraint, insertEndpoint, lockEndpointCount } from './endpoints.repo.ts';

/** Concurrent creations wait for each other, so that together they cannot exceed the limit. */
export async function createSignalEndpoint(
  { db, endpointLimit }: SignalsResources,
  input: EndpointDefinition,
  context: RequestContext,
): Promise<SignalEndpoint> {
  const origin = eventOrigin(context);
  try {
    const stored = await db.transaction(async (trx) => {
      requireBelowEndpointLimit(await lockEndpointCount(trx), endpointLimit);
      const endpoint = await insertEndpoint(trx, { ...input, createdByUserId: origin.actor.id });
      appendEvent(trx, {
        type: 'signal-endpoint-created',
        data: endpointEventData(endpoint),
        orderingKey: endpointOrderingKey(endpoint.id),
        ...origin,
      });
      return endpoint;
    });
    return toSignalEndpoint(stored, []);
  } catch (error) {
    if (isUniqueViolation(error, endpointNameConstraint)) throw endpointNameTaken(input.name);
    throw error;
  }
}
