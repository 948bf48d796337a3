import type { SignalsResources } from '../resources.ts';
import { findSignal } from './signals.repo.ts';

/** A stored signal for the token that sent it; null until it is stored, and for any other token. */
export async function getSignal(
  { db }: SignalsResources,
  sent: { endpointId: number; tokenId: number; id: number },
): Promise<{ signal: { createdAt: string; payloadText: string } | null }> {
  const found = await findSignal(db.kysely, sent);
  return { signal: found ? { createdAt: found.createdAt.toISOString(), payloadText: found.payload } : null };
}
