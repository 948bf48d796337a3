import { splitIntoPieces } from '@yardarm/shared/bus';
import type { SignalEndpointToken } from '@yardarm/shared/contracts/signals';
import { endpointNotFound } from '../endpoints/endpoint.ts';
import { hasEndpoint } from '../endpoints/endpoints.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { toSignalEndpointToken } from './endpoint-token.ts';
import { findEndpointTokens } from './endpoint-tokens.repo.ts';

/** Oldest first. */
export async function* listSignalEndpointTokens(
  { db }: SignalsResources,
  { signalEndpointId }: { signalEndpointId: number },
): AsyncGenerator<{ signalEndpointTokens: SignalEndpointToken[] }> {
  if (!(await hasEndpoint(db.kysely, signalEndpointId))) throw endpointNotFound(signalEndpointId);
  const tokens = (await findEndpointTokens(db.kysely, signalEndpointId)).map((token) => toSignalEndpointToken(token));
  for (const signalEndpointTokens of splitIntoPieces(tokens)) yield { signalEndpointTokens };
}
