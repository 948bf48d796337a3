import { endpointNotFound } from '../endpoints/endpoint.ts';
import type { SignalsResources } from '../resources.ts';
import { takeAdmission, untilRoom } from './admissions.repo.ts';

/** One admission of an endpoint's rate, or how long to wait for one. */
export async function admitSignal({ db, ratePerSecond }: SignalsResources, { endpointId }: { endpointId: number }) {
  const id = await takeAdmission(db.kysely, endpointId, ratePerSecond);
  if (id !== null) return { admitted: true as const, id };
  const retryAfterMs = await untilRoom(db.kysely, endpointId, ratePerSecond);
  if (retryAfterMs === null) throw endpointNotFound(endpointId);
  return { admitted: false as const, retryAfterMs };
}
