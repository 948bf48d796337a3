import type { Feature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { Emit, FeatureEvent } from '../changes/record-change.ts';
import { growthOf } from '../changes/sizes.ts';
import type { FlagsTables } from '../db/schema.ts';
import { updateToDisabled } from '../places/environments/feature-environments.repo.ts';
import { requireWithinLimit } from '../places/limits/limits.repo.ts';
import type { Limits } from '../places/limits/limits.ts';
import type { StoredProject } from '../places/projects/project.ts';
import { requireWithinFeatureLimit } from '../places/projects/projects.repo.ts';
import { deleteDependencyRows, findOtherChildren } from './archive/archive.repo.ts';
import { isParent } from './archive/archive.ts';
import type { DecidedChange } from './decide-change.ts';
import { type FeatureChange, featureEventData } from './feature.ts';
import { insertStage, updateFeatures } from './features.repo.ts';

type Change = DecidedChange & { difference: FeatureChange };

/**
 * Writes changes of flags with their events, in few statements. The
 * caller has locked the flags' rows, and before them the projects of flags that are revived (`openProjects`). A
 * revived flag is off everywhere, so that no old rollout returns by surprise. An archived flag loses its
 * dependencies. Throws `invalid-operation` when a flag that stays depends on an archived one, and `limit-exceeded`
 * when too many flags are revived.
 */
export async function applyChanges(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  decided: readonly DecidedChange[],
  { limits, openProjects = [] }: { limits: Limits; openProjects?: readonly StoredProject[] },
): Promise<void> {
  const changes = decided.filter((change): change is Change => change.difference !== null);
  if (changes.length === 0) return;
  const namesOf = (archive: FeatureChange['archive']) =>
    changes.filter(({ difference }) => difference.archive === archive).map(({ after }) => after.name);
  const [archived, revived] = [namesOf('archived'), namesOf('revived')];
  const children = await findOtherChildren(trx, archived);
  if (children.length > 0) throw isParent(children);
  const removed = await deleteDependencyRows(trx, archived);
  const switchedOff = await updateToDisabled(trx, revived);
  await insertStage(trx, archived, 'archived');
  await insertStage(trx, revived, 'initial');
  const features = changes.map(({ after }) => after);
  await updateFeatures(trx, features);
  await emit(
    ...changes.map((change) => {
      const { context, before, after, difference } = change;
      // An archived flag has no size, and a revived one all of it.
      const isSameSize = difference.archive === null && growthOf(before, after) === 0;
      const growth = isSameSize ? 0 : change.growth;
      const events = eventsOf(change, switchedOff.get(after.name) ?? [], removed.get(after.name) ?? []);
      // SDKs of every environment get nearly every property that may change, and none of a flag that stays archived.
      const isHidden = difference.archive === null && after.archivedAt !== null;
      const visibleIn = isHidden ? [] : ('all' as const);
      return { context, feature: after, events, visibleIn, growth, hasNewVersion: true };
    }),
  );
  if (revived.length === 0) return;
  for (const project of openProjects) await requireWithinFeatureLimit(trx, project);
  await requireWithinLimit(trx, 'features', limits);
}

/** A revival is first, with the environments in which the flag was on before it. Archiving is last. */
function eventsOf(
  { before, after, difference }: Change,
  switchedOff: readonly string[],
  removed: Feature['dependencies'],
): FeatureEvent[] {
  const events: FeatureEvent[] = [];
  if (difference.archive === 'revived') {
    events.push(...switchedOff.map((environment) => ({ type: 'feature-environment-disabled' as const, environment })));
    events.push({ type: 'feature-revived' });
  }
  if (difference.metadata) {
    const [data, preData] = [featureEventData(after), featureEventData(before)];
    events.push({ type: 'feature-metadata-updated', data, preData });
  }
  if (difference.stale !== null) events.push({ type: `feature-stale-${difference.stale}` });
  if (removed.length > 0) events.push({ type: 'feature-dependencies-removed', preData: { dependencies: removed } });
  if (difference.archive === 'archived') events.push({ type: 'feature-archived' });
  return events;
}
