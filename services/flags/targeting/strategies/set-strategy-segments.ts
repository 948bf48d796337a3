import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { setStrategySegments as contract } from '@yardarm/shared/contracts/flags';
import { badProperty } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { changeStrategy } from './change-strategy.ts';
import { findFeatureOfStrategy } from './strategies.repo.ts';

/** Sets the segments of a strategy, which the body names without its flag. */
export async function setStrategySegments(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<z.output<typeof contract.output>> {
  const { projectId, strategyId, environmentId: environment, segmentIds } = input;
  requirePermission(actorOf(context), 'UPDATE_FEATURE_STRATEGY', { project: projectId, environment });
  const place = await findFeatureOfStrategy(resources.db.kysely, strategyId);
  if (place?.project !== projectId || place.environment !== environment) {
    throw badProperty(['strategyId'], strategyId, 'names no strategy of the project in the environment');
  }
  const { featureName } = place;
  const after = await changeStrategy(
    resources,
    { projectId, featureName, environment, strategyId },
    context,
    (before) => ({
      ...before,
      segments: segmentIds,
    }),
  );
  return { projectId, strategyId, environmentId: environment, segmentIds: after.segments };
}
