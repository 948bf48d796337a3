import { findAllEndpointTokens } from '../endpoint-tokens/endpoint-tokens.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { toSignalEndpoint } from './endpoint.ts';
import { findEndpoints, findSender } from './endpoints.repo.ts';

/** Endpoints and tokens are of one snapshot. */
export function listSignalEndpoints({ db }: SignalsResources) {
  return db.transaction(
    async (trx) => {
      const endpoints = await findEndpoints(trx);
      const tokens = Map.groupBy(await findAllEndpointTokens(trx), (token) => token.endpointId);
      return {
        signalEndpoints: endpoints.map((endpoint) => toSignalEndpoint(endpoint, tokens.get(endpoint.id) ?? [])),
      };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
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
