import { findEveryEndpointToken } from '../endpoint-tokens/endpoint-tokens.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { toSignalEndpoint } from './endpoint.ts';
import { findEndpoints, findSender } from './endpoints.repo.ts';

/** Every endpoint with its tokens, as of one moment. */
export function listSignalEndpoints({ db }: SignalsResources) {
  return db.transaction(
    async (trx) => {
      const endpoints = await findEndpoints(trx);
      const tokens = Map.groupBy(await findEveryEndpointToken(trx), (token) => token.endpointId);
      return {
        signalEndpoints: endpoints.map((endpoint) => toSignalEndpoint(endpoint, tokens.get(endpoint.id) ?? [])),
      };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

/** The endpoint and the token that a sender names, each by itself: the gateway says what is wrong with them together. */
export async function resolveSignalToken(
  { db }: SignalsResources,
  { endpointName, selector }: { endpointName: string; selector: string },
) {
  // Names and selectors hold no other characters, and Postgres refuses a NUL: what does not match is not there.
  const name = /^[\w.~-]+$/.test(endpointName) ? endpointName : '';
  return findSender(db.kysely, name, /^[\w-]+$/.test(selector) ? selector : '');
}
