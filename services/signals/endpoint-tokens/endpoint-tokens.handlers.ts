import type { Database } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import { endpointNotFound } from '../endpoints/endpoint.ts';
import { hasEndpoint } from '../endpoints/endpoints.repo.ts';
import { toSignalEndpointToken } from './endpoint-token.ts';
import { findEndpointTokens } from './endpoint-tokens.repo.ts';

/** The tokens of one endpoint, oldest first. */
export async function listSignalEndpointTokens(
  db: Database<SignalsTables>,
  { signalEndpointId }: { signalEndpointId: number },
) {
  if (!(await hasEndpoint(db.kysely, signalEndpointId))) throw endpointNotFound(signalEndpointId);
  const tokens = await findEndpointTokens(db.kysely, signalEndpointId);
  return { signalEndpointTokens: tokens.map((token) => toSignalEndpointToken(token)) };
}
