import type { ServedContext } from '@yardarm/shared/bus';
import type { VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { AppError, isTransient } from '@yardarm/shared/errors';
import { deadlinePassed, GroupCommit, type GroupResult, type LockedRows } from '../changes/group-commit.ts';
import { actorOf, type Emit, recordChange, recordChangeAtOnce } from '../changes/record-change.ts';
import type { FlagsTables } from '../db/schema.ts';
import type { Limits } from '../places/limits/limits.ts';
import { requireOpenProjects } from '../places/projects/find-project.ts';
import type { StoredProject } from '../places/projects/project.ts';
import type { FlagsResources } from '../resources.ts';
import { applyChanges } from './apply-changes.ts';
import { type DecidedChange, decideChange } from './decide-change.ts';
import { requireVersion, type StoredFeature, toDocument } from './feature.ts';
import { findFeatureTypeIds } from './feature-types/feature-types.repo.ts';
import { deferFindFeatures } from './feature-views.repo.ts';
import { findFeatureNames, limitLockWaits, lockFeatures } from './features.repo.ts';
import { requireFeature } from './find-feature.ts';
import { patched } from './json-patch.ts';
import type { Patch, Patches } from './patch.ts';
import { withGrowth } from './with-growth.ts';

type Decision =
  | { status: 'decided'; change: DecidedChange }
  | Exclude<GroupResult<never>, { status: 'updated' | 'unreadable' }>;

interface LockedFeatures {
  features: Map<string, StoredFeature>;
  /** The flags that another transaction has locked. */
  locked: Set<string>;
  /** The locked projects of flags that are revived. */
  openProjects: StoredProject[];
  /** The flag types. Empty when no patch of the group writes a type. */
  types: readonly string[];
}

/**
 * Changes a flag by a JSON Patch, whole or not at all, with an event for each kind of change.
 */
export function patchFeature(
  { patches }: FlagsResources,
  input: Patch['input'],
  context: ServedContext,
): Promise<VersionedFeature> {
  return patches.submit({ input, context });
}

/**
 * Patches of different flags share transactions. All of them raise the same few revisions. A patch alone would hold
 * those rows until its own commit is on the disk, and the others would wait.
 */
export function groupPatches(resources: Pick<FlagsResources, 'bus' | 'changes' | 'db' | 'limits'>): Patches {
  return new GroupCommit<Patch, VersionedFeature>({
    keyOf: ({ input }) => input.featureName,
    deadlineOf: ({ context }) => context.deadline,
    commit: (items, lockedRows) => commitPatches(resources, items, lockedRows),
    // Nothing is retried while the database does not answer, or when the outcome of the commit is unknown.
    isCausedByItem: (error) => !isTransient(error),
  });
}

async function commitPatches(
  resources: Pick<FlagsResources, 'bus' | 'changes' | 'db' | 'limits'>,
  patches: readonly Patch[],
  lockedRows: LockedRows,
): Promise<GroupResult<VersionedFeature>[]> {
  const answersAfterCommit = new Map<string, () => VersionedFeature>();
  const useCase = async (trx: Transaction<FlagsTables>, emit: Emit) => {
    const known = await lockAndRead(trx, patches, lockedRows);
    const decidedAlone: Decision[] = [];
    for (const patch of patches) decidedAlone.push(await decide(trx, patch, known, lockedRows));
    const decisions = await refuseGrowth(trx, decidedAlone, resources.limits);
    const decided = decisions.flatMap((decision) => (decision.status === 'decided' ? decision.change : []));
    await applyChanges(trx, emit, decided, { ...resources, openProjects: known.openProjects });
    deferFindFeatures(
      trx,
      decided.map(({ before, context }) => ({ featureName: before.name, userId: actorOf(context).id })),
      answersAfterCommit,
    );
    return decisions;
  };
  const deadline = Math.min(...patches.map(({ context }) => context.deadline));
  const decisions = await (lockedRows === 'skip'
    ? recordChangeAtOnce(resources, useCase)
    : recordChange(resources, { deadline }, useCase));
  return decisions.map((decision) =>
    decision.status === 'decided' ? resultOf(answersAfterCommit.get(decision.change.before.name)!) : decision,
  );
}

function resultOf(answer: () => VersionedFeature): GroupResult<VersionedFeature> {
  try {
    return { status: 'updated', answer: answer() };
  } catch (error) {
    return { status: 'unreadable', error };
  }
}

function remainingMs({ context }: Patch): number {
  return context.deadline - Date.now();
}

async function lockAndRead(
  trx: Transaction<FlagsTables>,
  patches: readonly Patch[],
  lockedRows: LockedRows,
): Promise<LockedFeatures> {
  const names = patches.map(({ input }) => input.featureName);
  // The caller does not wait longer, and other patches wait for the connection.
  if (lockedRows === 'wait') limitLockWaits(trx, Math.min(...patches.map(remainingMs)));
  const lock = async () => {
    const openProjects = lockedRows === 'wait' ? await lockProjectsOfRevivals(trx, patches) : [];
    return { openProjects, features: await lockFeatures(trx, names, lockedRows) };
  };
  const { openProjects, features } = await lock().catch((error: unknown) => {
    throw patches.every((patch) => remainingMs(patch) <= 0) ? deadlinePassed() : error;
  });
  const others = lockedRows === 'skip' ? names.filter((name) => !features.has(name)) : [];
  const hasType = patches.some(({ input }) => writesPath(input.operations, '/type'));
  return {
    features,
    openProjects,
    locked: await findFeatureNames(trx, others),
    types: hasType ? await findFeatureTypeIds(trx) : [],
  };
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

function writesPath(operations: Patch['input']['operations'], path: string): boolean {
  return operations.some((operation) => operation.path === path);
}

async function decide(
  trx: Transaction<FlagsTables>,
  patch: Patch,
  known: LockedFeatures,
  lockedRows: LockedRows,
): Promise<Decision> {
  const { projectId, featureName } = patch.input;
  if (known.locked.has(featureName)) return { status: 'locked' };
  try {
    // The deadline may have passed while the transaction waited for the row.
    if (remainingMs(patch) <= 0) throw deadlinePassed();
    const before = await requireFeature(trx, projectId, featureName, known.features.get(featureName));
    const { operations, expectedVersions } = patch.input;
    // The patch alone may lock the project that a revived flag is added to.
    if (lockedRows === 'skip' && before.archivedAt !== null && writesPath(operations, '/archived'))
      return { status: 'locked' };
    requireVersion(before, expectedVersions);
    const changed = patched(toDocument(before), operations);
    return { status: 'decided', change: decideChange(patch.context, before, changed, known.types) };
  } catch (error) {
    return { status: 'refused', error };
  }
}

/** Refuses the changes that grow above a limit. The commit would refuse them too, but with the whole group. */
async function refuseGrowth(
  trx: Transaction<FlagsTables>,
  decisions: readonly Decision[],
  limits: Limits,
): Promise<Decision[]> {
  const changes = decisions.flatMap((decision) => (decision.status === 'decided' ? decision.change : []));
  const sized = (await withGrowth(trx, changes, limits)).values();
  return decisions.map((decision) => {
    if (decision.status !== 'decided') return decision;
    const change = sized.next().value!;
    return change instanceof AppError ? { status: 'refused', error: change } : { status: 'decided', change };
  });
}
