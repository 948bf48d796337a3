import type { ServedContext } from '@yardarm/shared/bus';
import type { VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { Emit } from '../changes/record-change.ts';
import type { FlagsTables } from '../db/schema.ts';
import type { Limits } from '../places/limits/limits.ts';
import { requireOpenProjects } from '../places/projects/find-project.ts';
import type { StoredProject } from '../places/projects/project.ts';
import type { FlagsResources } from '../resources.ts';
import { applyChanges } from './apply-changes.ts';
import { type DecidedChange, decideChange } from './decide-change.ts';
import { requireVersion, type StoredFeature, toDocument } from './feature.ts';
import { findFeatureTypeIds } from './feature-types/feature-types.repo.ts';
import { requireFeature } from './find-feature.ts';
import { changesOf, type Decision, decideEach, type GroupTerms, type Patch } from './grouped-request.ts';
import { patched } from './json-patch.ts';
import { lockTogether } from './lock-together.ts';
import { withGrowth } from './with-growth.ts';

/**
 * Changes a flag by a JSON Patch, whole or not at all, with an event for each kind of change.
 */
export function patchFeature(
  { groups }: FlagsResources,
  input: Patch['input'],
  context: ServedContext,
): Promise<VersionedFeature> {
  return groups.submit({ kind: 'patch', input, context });
}

export async function patchTogether(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  patches: readonly Patch[],
  { limits, lockedRows }: GroupTerms,
): Promise<Decision<DecidedChange>[]> {
  const openProjects = lockedRows === 'wait' ? await lockProjectsOfRevivals(trx, patches) : [];
  const { features, locked } = await lockTogether(trx, patches, lockedRows);
  // Read only if a patch of the group writes a type.
  const types = patches.some((patch) => writesPath(patch, '/type')) ? await findFeatureTypeIds(trx) : [];
  const decidedAlone = await decideEach(
    patches,
    (patch) => locked.has(patch.input.featureName) || (lockedRows === 'skip' && isRevival(patch, features)),
    async ({ input, context }) => {
      const { projectId, featureName, operations, expectedVersions } = input;
      const before = await requireFeature(trx, projectId, featureName, features.get(featureName));
      requireVersion(before, expectedVersions);
      return decideChange(context, before, patched(toDocument(before), operations), types);
    },
  );
  const decisions = await refuseGrowth(trx, decidedAlone, limits);
  await applyChanges(trx, emit, changesOf(decisions), { limits, openProjects });
  return decisions;
}

/** The patch alone may lock the project that a revived flag is added to. */
function isRevival(patch: Patch, features: ReadonlyMap<string, StoredFeature>): boolean {
  const feature = features.get(patch.input.featureName);
  return feature?.project === patch.input.projectId && feature.archivedAt !== null && writesPath(patch, '/archived');
}

/** A revived flag is added to its project. */
async function lockProjectsOfRevivals(
  trx: Transaction<FlagsTables>,
  patches: readonly Patch[],
): Promise<StoredProject[]> {
  const revivals = patches.filter(({ input }) =>
    input.operations.some(({ path, value }) => path === '/archived' && value !== true),
  );
  const projects = revivals.map(({ input }) => input.projectId);
  return projects.length > 0 ? [...(await requireOpenProjects(trx, projects)).values()] : [];
}

function writesPath({ input }: Patch, path: string): boolean {
  return input.operations.some((operation) => operation.path === path);
}

/** Refuses the changes that grow above a limit. The commit would refuse them too, but with the whole group. */
async function refuseGrowth(
  trx: Transaction<FlagsTables>,
  decisions: readonly Decision<DecidedChange>[],
  limits: Limits,
): Promise<Decision<DecidedChange>[]> {
  const sized = (await withGrowth(trx, changesOf(decisions), limits)).values();
  return decisions.map((decision) => {
    if (decision.status !== 'decided') return decision;
    const change = sized.next().value!;
    return change instanceof AppError ? { status: 'refused', error: change } : { status: 'decided', change };
  });
}
