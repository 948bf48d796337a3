import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import { deadlinePassed, GroupCommit, type GroupResult, type LockedRows } from '../changes/group-commit.ts';
import { actorOf, type Emit, type FeatureEvent, recordChange } from '../changes/record-change.ts';
import type { FlagsTables } from '../db/schema.ts';
import { updateToDisabled } from '../environments/feature-environments.repo.ts';
import { findFeatureTypeIds } from '../feature-types/feature-types.repo.ts';
import type { FlagsResources } from '../resources.ts';
import {
  changeBetween,
  checkFeature,
  type FeatureChange,
  featureEventData,
  featureNotFound,
  permissionsOfChange,
  requireVersion,
  type StoredFeature,
  toDocument,
  withDocument,
} from './feature.ts';
import { deferFindFeatures } from './feature-views.repo.ts';
import { findFeatureNames, insertStage, limitLockWaits, lockFeatures, updateFeatures } from './features.repo.ts';
import { requireFeature } from './find-feature.ts';
import { patched } from './json-patch.ts';
import type { Patch, Patches } from './patch.ts';

interface Draft {
  context: ServedContext;
  before: StoredFeature;
  after: StoredFeature;
  /** Null when nothing differs. */
  difference: FeatureChange | null;
}

type Decision = { status: 'drafted'; draft: Draft } | Exclude<GroupResult<never>, { status: 'updated' | 'unreadable' }>;

interface Known {
  features: Map<string, StoredFeature>;
  /** The flags that another transaction has locked. */
  locked: Set<string>;
  /** The flag types. Empty when no patch of the group writes a type. */
  types: readonly string[];
}

/**
 * Changes a flag by a JSON Patch, whole or not at all, with an event for each kind of change. The only patch of an
 * archived flag is the one that revives it. A revived flag is off everywhere, so that no old rollout returns by
 * surprise.
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
export function groupPatches(resources: Pick<FlagsResources, 'bus' | 'db'>): Patches {
  return new GroupCommit<Patch, VersionedFeature>({
    keyOf: ({ input }) => input.featureName,
    deadlineOf: ({ context }) => context.deadline,
    commit: (items, lockedRows) => commitPatches(resources, items, lockedRows),
    // Nothing is retried while the database does not answer, or when the outcome of the commit is unknown.
    isCausedByItem: (error) => !(error instanceof AppError && ['unavailable', 'timeout'].includes(error.code)),
  });
}

async function commitPatches(
  resources: Pick<FlagsResources, 'bus' | 'db'>,
  patches: readonly Patch[],
  lockedRows: LockedRows,
): Promise<GroupResult<VersionedFeature>[]> {
  const answers = new Map<string, () => VersionedFeature>();
  const decisions = await recordChange(resources, async (trx, emit) => {
    const known = await lockAndRead(trx, patches, lockedRows);
    const decisions: Decision[] = [];
    for (const patch of patches) decisions.push(await decide(trx, patch, known));
    const drafts = decisions.flatMap((decision) => (decision.status === 'drafted' ? decision.draft : []));
    await write(trx, emit, drafts);
    deferFindFeatures(
      trx,
      drafts.map(({ before, context }) => ({ featureName: before.name, userId: actorOf(context).id })),
      answers,
    );
    return decisions;
  });
  return decisions.map((decision) =>
    decision.status === 'drafted' ? resultOf(answers.get(decision.draft.before.name)!) : decision,
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
): Promise<Known> {
  const names = patches.map(({ input }) => input.featureName);
  // The caller does not wait longer, and other patches wait for the connection.
  if (lockedRows === 'wait') limitLockWaits(trx, Math.min(...patches.map(remainingMs)));
  const features = await lockFeatures(trx, names, lockedRows).catch((error: unknown) => {
    throw patches.every((patch) => remainingMs(patch) <= 0) ? deadlinePassed() : error;
  });
  const others = lockedRows === 'skip' ? names.filter((name) => !features.has(name)) : [];
  const hasType = patches.some(({ input }) => input.operations.some(({ path }) => path === '/type'));
  return {
    features,
    locked: await findFeatureNames(trx, others),
    types: hasType ? await findFeatureTypeIds(trx) : [],
  };
}

async function decide(trx: Transaction<FlagsTables>, patch: Patch, known: Known): Promise<Decision> {
  const { projectId, featureName } = patch.input;
  if (known.locked.has(featureName)) return { status: 'locked' };
  try {
    // The deadline may have passed while the transaction waited for the row.
    if (remainingMs(patch) <= 0) throw deadlinePassed();
    const before = await requireFeature(trx, projectId, featureName, known.features.get(featureName));
    return { status: 'drafted', draft: draftOf(patch, before, known.types) };
  } catch (error) {
    return { status: 'refused', error };
  }
}

function draftOf({ input, context }: Patch, before: StoredFeature, types: readonly string[]): Draft {
  requireVersion(before, input.expectedVersions);
  const document = toDocument(before);
  const changed = patched(document, input.operations);
  const difference = changeBetween(document, changed);
  if (difference === null) return { context, before, after: before, difference };

  const { project, name } = before;
  if (before.archivedAt !== null && changed.archived) throw featureNotFound(name, project);
  for (const permission of permissionsOfChange(document, changed))
    requirePermission(actorOf(context), permission, { project });
  // A foreign key guarantees that the flag's present type exists.
  checkFeature(changed, changed.type === before.type ? [before.type] : types);
  return { context, before, after: withDocument(before, changed), difference };
}

/** The caller has locked the flags' rows. */
async function write(trx: Transaction<FlagsTables>, emit: Emit, drafts: readonly Draft[]): Promise<void> {
  const changes = drafts.flatMap(({ difference, ...draft }) => (difference === null ? [] : { ...draft, difference }));
  if (changes.length === 0) return;
  const namesOf = (archive: FeatureChange['archive']) =>
    changes.filter(({ difference }) => difference.archive === archive).map(({ after }) => after.name);
  const switchedOff = await updateToDisabled(trx, namesOf('revived'));
  await insertStage(trx, namesOf('archived'), 'archived');
  await insertStage(trx, namesOf('revived'), 'initial');
  updateFeatures(
    trx,
    changes.map(({ after }) => after),
  );
  await emit(
    ...changes.map(({ context, before, after, difference }) => {
      const events = eventsOf(difference, before, after, switchedOff.get(after.name) ?? []);
      // SDKs of every environment get nearly every property that a patch may change.
      return { context, feature: after, events, visibleIn: 'all' as const };
    }),
  );
}

/** A revival is first, with the environments in which the flag was on before it. Archiving is last. */
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
    const [data, preData] = [featureEventData(after), featureEventData(before)];
    events.push({ type: 'feature-metadata-updated', data, preData });
  }
  if (difference.stale !== null) events.push({ type: `feature-stale-${difference.stale}` });
  if (difference.archive === 'archived') events.push({ type: 'feature-archived' });
  return events;
}
