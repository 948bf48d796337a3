import { inPieces, pieceLimits } from '@yardarm/shared/bus';
import type { endpointSignalSchema } from '@yardarm/shared/contracts/signals';
import type { z } from 'zod';
import { endpointNotFound } from '../endpoints/endpoint.ts';
import { hasEndpoint } from '../endpoints/endpoints.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { findSignals, type ListedSignal } from './signals.repo.ts';

// The rest of a signal beside its payload: six numbers and names, a token's name of 255 characters at four bytes.
const envelopeBytes = 1_300;
// Of the largest payloads (900 kB) a page is 20 MB in memory, of the default's (100 kB) 2.5 MB.
const pageSize = 25;

type EndpointSignal = z.infer<typeof endpointSignalSchema>;

/**
 * The stored signals of an endpoint, newest first, in pieces that fit a message. Later pages go on below the last id and not by
 * counting, so signals that arrive meanwhile move nothing.
 */
export async function* listEndpointSignals(
  { db }: SignalsResources,
  { signalEndpointId, limit, offset }: { signalEndpointId: number; limit: number; offset: number },
): AsyncGenerator<{ signalEndpointSignals: EndpointSignal[] }> {
  if (!(await hasEndpoint(db.kysely, signalEndpointId))) throw endpointNotFound(signalEndpointId);
  let beforeId: number | null = null;
  for (let left = limit; left > 0; ) {
    const wanted = Math.min(left, pageSize);
    const page = await findSignals(db.kysely, {
      endpointId: signalEndpointId,
      beforeId,
      skip: beforeId === null ? offset : 0,
      limit: wanted,
    });
    for (const piece of inPieces(page, pieceLimits, ({ payload }) => Buffer.byteLength(payload) + envelopeBytes)) {
      yield { signalEndpointSignals: piece.map(toEndpointSignal) };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < wanted) return;
    beforeId = last.id;
    left -= page.length;
  }
}

function toEndpointSignal({ id, endpointId, payload, createdAt, tokenName }: ListedSignal): EndpointSignal {
  return { id, payload: JSON.parse(payload), createdAt, source: 'signal-endpoint', sourceId: endpointId, tokenName };
}
