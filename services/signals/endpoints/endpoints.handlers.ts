import type { SignalEndpoint } from '@yardarm/shared/contracts/signals';
import { findAllEndpointTokens } from '../endpoint-tokens/endpoint-tokens.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { toSignalEndpoint } from './endpoint.ts';
import { findEndpoints, findSelectors, findTokenWithEndpoint } from './endpoints.repo.ts';

/** All endpoints with their tokens, from one snapshot, oldest first. */
export async function listSignalEndpoints({ db }: SignalsResources): Promise<{ signalEndpoints: SignalEndpoint[] }> {
  const { endpoints, tokens } = await db.transaction(
    async (trx) => ({
      endpoints: await findEndpoints(trx),
      tokens: Map.groupBy(await findAllEndpointTokens(trx), (token) => token.endpointId),
    }),
    { isolation: 'repeatable read', readOnly: true },
  );
  return { signalEndpoints: endpoints.map((endpoint) => toSignalEndpoint(endpoint, tokens.get(endpoint.id) ?? [])) };
}

// Selectors contain no other characters, and Postgres refuses NUL. Other values match no row.
const selectorPattern = /^[\w-]+$/;

export async function findSignalToken({ db }: SignalsResources, { selector }: { selector: string }) {
  const found = selectorPattern.test(selector) ? await findTokenWithEndpoint(db.kysely, selector) : undefined;
  return { token: found ?? null };
}

export async function findExistingSignalSelectors(
  { db }: SignalsResources,
  { selectors }: { selectors: readonly string[] },
): Promise<{ existing: string[] }> {
  return { existing: await findSelectors(db.kysely, selectors) };
}
