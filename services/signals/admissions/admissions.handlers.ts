import { endpointNotFound } from '../endpoints/endpoint.ts';
import type { SignalsResources } from '../resources.ts';
import { findRetryAfterMs, updateAdmissions } from './admissions.repo.ts';

export async function admitSignal({ db, ratePerSecond }: SignalsResources, { endpointId }: { endpointId: number }) {
  const id = await updateAdmissions(db.kysely, endpointId, ratePerSecond);
  if (id !== null) return { admitted: true as const, id };
  const retryAfterMs = await findRetryAfterMs(db.kysely, endpointId, ratePerSecond);
  if (retryAfterMs === null) throw endpointNotFound(endpointId);
  return { admitted: false as const, retryAfterMs };
}
