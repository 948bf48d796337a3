import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { patchFeature as contract, Feature } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { actorOf, type FeatureEvent, type FlagsParts, recordChange, tell } from '../changes/record-change.ts';
import { switchAllOff } from '../environments/feature-environments.repo.ts';
import { readFeatureTypeIds } from '../feature-types/feature-types.repo.ts';
import {
  type ChangeableFeature,
  changeable,
  changeBetween,
  checkFeature,
  type FeatureChange,
  featureAsEventData,
  type StoredFeature,
} from './feature.ts';
import { enterStage, updateFeature } from './features.repo.ts';
import { foundFeatureView, lockedFeature } from './find-feature.ts';
import { patched } from './json-patch.ts';
import { missingFeature } from './missing.ts';

/**
 * Changes a flag by a JSON Patch, whole or not at all, and tells each kind of change by its own event. An archived flag changes
 * by nothing but a patch that revives it; a revived one is off everywhere, so that no old rollout comes back by surprise.
 */
export async function patchFeature(
  parts: FlagsParts,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Feature> {
  const { projectId: project, featureName: name, operations } = input;
  return await recordChange(parts, async (trx) => {
    const before = await lockedFeature(trx, project, name);
    const document = patched(changeable(before), operations);
    const difference = changeBetween(changeable(before), document);
    if (difference === null) return { answer: await foundFeatureView(trx, project, name), visible: null };

    if (before.archivedAt !== null && document.archived) throw missingFeature(project, name);
    if (difference.archive === 'archived') requirePermission(actorOf(context), 'DELETE_FEATURE', { project });
    // The type that a flag has is one that is there: a foreign key sees to it.
    const knownTypes = document.type === before.type ? [before.type] : await readFeatureTypeIds(trx);
    checkFeature(document, knownTypes);

    const after = withChanges(before, document);
    await updateFeature(trx, after);
    const switchedOff = difference.archive === 'revived' ? await switchAllOff(trx, name) : [];
    if (difference.archive === 'archived') await enterStage(trx, name, 'archived');
    if (difference.archive === 'revived') await enterStage(trx, name, 'initial');
    await tell(trx, context, after, eventsOf(difference, before, after, switchedOff));
    return {
      answer: await foundFeatureView(trx, project, name),
      // Everything that a patch may change stands in what SDKs get, in every environment.
      visible: { featureName: name, environment: null, isRemoved: after.archivedAt !== null },
    };
  });
}

function withChanges(before: StoredFeature, document: ChangeableFeature): StoredFeature {
  const { archived, ...same } = document;
  return { ...before, ...same, archivedAt: archived ? (before.archivedAt ?? new Date()) : null };
}

/** Archiving is the last that happens to a flag, reviving the first; what a revived flag was on in is told before it is back. */
function eventsOf(
  difference: FeatureChange,
  before: StoredFeature,
  after: StoredFeature,
  switchedOff: readonly string[],
): FeatureEvent[] {
  const events: FeatureEvent[] = [];
  if (difference.archive === 'revived') {
    events.push(...switchedOff.map((environment) => ({ type: 'feature-environment-disabled' as const, environment })));
    events.push({ type: 'feature-revived' });
  }
  if (difference.metadata) {
    const [data, preData] = [featureAsEventData(after), featureAsEventData(before)];
    events.push({ type: 'feature-metadata-updated', data, preData });
  }
  if (difference.stale !== null) events.push({ type: `feature-stale-${difference.stale}` });
  if (difference.archive === 'archived') events.push({ type: 'feature-archived' });
  return events;
}
