import type { countLifecycleStages, getFeatureLifecycle } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { requireFeature } from '../find-feature.ts';
import { countStages, findStages } from './lifecycle.repo.ts';
import { toLifecycleStage } from './lifecycle.ts';

export async function getLifecycle(
  { db }: FlagsResources,
  { projectId, featureName }: z.output<typeof getFeatureLifecycle.input>,
): Promise<z.output<typeof getFeatureLifecycle.output>> {
  const stages = await findStages(db.kysely, projectId, featureName);
  // It throws what is missing.
  if (stages === null) await requireFeature(db.kysely, projectId, featureName, undefined);
  return { stages: (stages ?? []).map(toLifecycleStage) };
}

export async function countFeaturesByStage({
  db,
}: FlagsResources): Promise<z.output<typeof countLifecycleStages.output>> {
  const counts = await countStages(db.kysely);
  const of = (stage: Parameters<typeof counts.get>[0]) => counts.get(stage) ?? 0;
  return {
    initial: of('initial'),
    preLive: of('pre-live'),
    live: of('live'),
    completed: of('completed'),
    archived: of('archived'),
  };
}
