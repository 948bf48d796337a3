import type { SignalEndpointToken } from '@yardarm/shared/contracts/signals';
import { endpointNotFound } from '../endpoints/endpoint.ts';
import { hasEndpoint } from '../endpoints/endpoints.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { toSignalEndpointToken } from './endpoint-token.ts';
import { findEndpointTokens } from './endpoint-tokens.repo.ts';

/** Oldest first. */
export async function listSignalEndpointTokens(
  { db }: SignalsResources,
  { signalEndpointId }: { signalEndpointId: number },
): Promise<{ signalEndpointTokens: SignalEndpointToken[] }> {
  if (!(await hasEndpoint(db.kysely, signalEndpointId))) throw endpointNotFound(signalEndpointId);
  const tokens = await findEndpointTokens(db.kysely, signalEndpointId);
  return { signalEndpointTokens: tokens.map((token) => toSignalEndpointToken(token)) };
}
