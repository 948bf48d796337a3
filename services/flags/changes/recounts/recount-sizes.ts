import { randomUUID } from 'node:crypto';
import { systemActor } from '@yardarm/shared/contracts';
import type { Leadership } from '@yardarm/shared/db';
import { newTraceparent } from '@yardarm/shared/telemetry';
import { lockFeatures } from '../../features/features.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { recordChangeAtOnce } from '../record-change.ts';
import type { EnvironmentOfProject } from '../revisions.repo.ts';
import {
  findWrongFeatures,
  findWrongPlaces,
  findWrongSegments,
  lockFreeSegments,
  type WrongFeature,
} from './recounts.repo.ts';

type Resources = Pick<FlagsResources, 'bus' | 'db' | 'limits'>;

/** To measure so many flags in three environments takes Postgres 26 ms. */
const batch = 500;

interface Differences {
  wrong?: readonly WrongFeature[];
  segments?: readonly number[];
  /** Those of the flags, and others. */
  places: readonly EnvironmentOfProject[];
}

/**
 * Corrects the sizes that differ from what is counted, and returns how many of each did. It reads without locks. Then
 * it locks what differs as any change does, except what another transaction has locked, and raises the revisions of its
 * places. A recounted place may be above its limit, as one that the migration has counted.
 */
export async function recountSizes(
  resources: Resources,
  leadership: Pick<Leadership, 'requireCurrent' | 'signal'>,
): Promise<{ features: number; segments: number; places: number }> {
  const { db } = resources;
  const recount = { features: 0, segments: 0, places: 0 };
  for (let after: string | null = ''; after !== null && !leadership.signal.aborted; ) {
    const { last, wrong } = await findWrongFeatures(db.kysely, after, batch);
    if (wrong.length > 0) await correct(resources, leadership, { wrong, places: wrong });
    recount.features += wrong.length;
    after = last;
  }
  if (leadership.signal.aborted) return recount;
  const segments = await findWrongSegments(db.kysely);
  const places = await findWrongPlaces(db.kysely);
  if (segments.length + places.length > 0) await correct(resources, leadership, { segments, places });
  return { ...recount, segments: segments.length, places: places.length };
}

async function correct(
  resources: Resources,
  leadership: Pick<Leadership, 'requireCurrent'>,
  { wrong = [], segments = [], places }: Differences,
): Promise<void> {
  const unlimited = { projectBytes: Number.MAX_SAFE_INTEGER, environmentBytes: Number.MAX_SAFE_INTEGER };
  await recordChangeAtOnce({ ...resources, limits: { ...resources.limits, ...unlimited } }, async (trx, emit) => {
    await leadership.requireCurrent(trx);
    const locked = await lockFeatures(trx, [...new Set(wrong.map(({ featureName }) => featureName))], 'skip');
    const features = wrong.flatMap(({ featureName, environment }) => {
      const feature = locked.get(featureName);
      return feature ? [{ featureName, environment, isRemoved: feature.archivedAt !== null }] : [];
    });
    const lockedSegments = segments.length > 0 ? await lockFreeSegments(trx, segments) : [];
    const visible = { features, places: [...places], segments: lockedSegments };
    const context = { actor: systemActor, requestId: randomUUID(), traceparent: newTraceparent() };
    await emit({ context, orderingKey: '', events: [], visible });
  });
}
