import { splitIntoPieces } from '@yardarm/shared/bus';
import type { SignalEndpoint } from '@yardarm/shared/contracts/signals';
import { findAllEndpointTokens } from '../endpoint-tokens/endpoint-tokens.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { toSignalEndpoint } from './endpoint.ts';
import { findEndpoints, findSender } from './endpoints.repo.ts';

/** All endpoints with their tokens, from one snapshot, oldest first. */
export async function* listSignalEndpoints({
  db,
}: SignalsResources): AsyncGenerator<{ signalEndpoints: SignalEndpoint[] }> {
  const { endpoints, tokens } = await db.transaction(
    async (trx) => ({
      endpoints: await findEndpoints(trx),
      tokens: Map.groupBy(await findAllEndpointTokens(trx), (token) => token.endpointId),
    }),
    { isolation: 'repeatable read', readOnly: true },
  );
  const withTokens = endpoints.map((endpoint) => toSignalEndpoint(endpoint, tokens.get(endpoint.id) ?? []));
  for (const signalEndpoints of splitIntoPieces(withTokens)) yield { signalEndpoints };
}

/** Finds endpoint and token independently of each other. The gateway decides whether they match. */
export async function resolveSignalToken(
  { db }: SignalsResources,
  { endpointName, selector }: { endpointName: string; selector: string },
) {
  // Names and selectors contain no other characters, and Postgres refuses NUL. Other values match no row.
  const name = /^[\w.~-]+$/.test(endpointName) ? endpointName : '';
  return findSender(db.kysely, name, /^[\w-]+$/.test(selector) ? selector : '');
}
