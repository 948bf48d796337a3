import { pieceLimits, splitIntoPieces } from '@yardarm/shared/bus';
import type { endpointSignalSchema } from '@yardarm/shared/contracts/signals';
import type { z } from 'zod';
import { endpointNotFound } from '../endpoints/endpoint.ts';
import { hasEndpoint } from '../endpoints/endpoints.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { findSignals, type ListedSignal } from './signals.repo.ts';

// The bytes of a signal without its payload: its numbers and names, with a token name of 255 characters of four bytes.
const envelopeBytes = 1_300;
// A page takes 20 MB of memory with the largest payloads (900 kB), and 2.5 MB with the default limit (100 kB).
const pageSize = 25;

type EndpointSignal = z.infer<typeof endpointSignalSchema>;

/**
 * The stored signals of an endpoint, newest first, in pieces. Each later page continues below the last id and not at an
 * offset, so new signals do not shift the pages.
 */
export async function* listEndpointSignals(
  { db }: SignalsResources,
  { signalEndpointId, limit, offset }: { signalEndpointId: number; limit: number; offset: number },
): AsyncGenerator<{ signalEndpointSignals: EndpointSignal[] }> {
  if (!(await hasEndpoint(db.kysely, signalEndpointId))) throw endpointNotFound(signalEndpointId);
  let beforeId: number | null = null;
  for (let remaining = limit; remaining > 0; ) {
    const size = Math.min(remaining, pageSize);
    const page = await findSignals(db.kysely, {
      endpointId: signalEndpointId,
      beforeId,
      skip: beforeId === null ? offset : 0,
      limit: size,
    });
    for (const piece of splitIntoPieces(
      page,
      pieceLimits,
      ({ payload }) => Buffer.byteLength(payload) + envelopeBytes,
    )) {
      yield { signalEndpointSignals: piece.map(toEndpointSignal) };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < size) return;
    beforeId = last.id;
    remaining -= page.length;
  }
}

function toEndpointSignal({ id, endpointId, payload, createdAt, tokenName }: ListedSignal): EndpointSignal {
  return { id, payload: JSON.parse(payload), createdAt, source: 'signal-endpoint', sourceId: endpointId, tokenName };
}
