import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { patchFeature as contract, Feature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { deadlinePassed, GroupCommit, type GroupResult, type LockedRows } from '../changes/group-commit.ts';
import { actorOf, type Emit, type FeatureEvent, type FlagsResources, recordChange } from '../changes/record-change.ts';
import type { FlagsTables } from '../db/schema.ts';
import { switchAllOff } from '../environments/feature-environments.repo.ts';
import { findFeatureTypeIds } from '../feature-types/feature-types.repo.ts';
import {
  changeBetween,
  checkFeature,
  type FeatureChange,
  type StoredFeature,
  toDocument,
  toEventData,
  withDocument,
} from './feature.ts';
import { deferFindFeatures } from './feature-views.repo.ts';
import { enterStage, findFeatureNames, lockFeatures, updateFeatures } from './features.repo.ts';
import { requireFeature } from './find-feature.ts';
import { patched } from './json-patch.ts';
import { featureNotFound } from './not-found.ts';

interface Patch {
  input: z.output<typeof contract.input>;
  context: ServedContext;
}

/** A patch that is not refused, and what it does to its flag. */
interface Draft {
  context: ServedContext;
  before: StoredFeature;
  after: StoredFeature;
  /** Null when nothing differs. */
  difference: FeatureChange | null;
}

type Decision = { status: 'drafted'; draft: Draft } | Exclude<GroupResult<never>, { status: 'updated' }>;

/** What the decisions about the patches of a group need to know. */
interface Known {
  features: Map<string, StoredFeature>;
  /** The flags that another transaction has locked. */
  locked: Set<string>;
  /** The flag types, if one of the patches could need them. */
  types: readonly string[];
}

/**
 * Changes flags by JSON Patches, each whole or not at all, with an event for each kind of change. An archived flag changes by nothing but a
 * patch that revives it; a revived one is off everywhere, so that no old rollout comes back by surprise.
 *
 * Patches of different flags share transactions: all of them raise the same few revisions, and each alone would hold those rows until its
 * own commit is on the disk, with the others waiting.
 */
export function patchFeatures(
  parts: FlagsResources,
): (input: Patch['input'], context: ServedContext) => Promise<Feature> {
  const patches = new GroupCommit<Patch, Feature>({
    keyOf: ({ input }) => input.featureName,
    deadlineOf: ({ context }) => context.deadline,
    commit: (items, lockedRows) => commitPatches(parts, items, lockedRows),
    // While the database is away, or when nobody knows whether it has committed, nothing is tried again.
    isOfOneItem: (error) => !(error instanceof AppError && ['unavailable', 'timeout'].includes(error.code)),
  });
  return (input, context) => patches.submit({ input, context });
}

async function commitPatches(
  parts: FlagsResources,
  patches: readonly Patch[],
  lockedRows: LockedRows,
): Promise<GroupResult<Feature>[]> {
  const answers = new Map<string, Feature>();
  const decisions = await recordChange(parts, async (trx, emit) => {
    const known = await lockAndRead(trx, patches, lockedRows);
    const decisions: Decision[] = [];
    for (const patch of patches) decisions.push(await decide(trx, patch, known));
    const drafts = decisions.flatMap((decision) => (decision.status === 'drafted' ? decision.draft : []));
    await write(trx, emit, drafts);
    deferFindFeatures(
      trx,
      drafts.map(({ before }) => before.name),
      answers,
    );
    return decisions;
  });
  return decisions.map((decision) =>
    decision.status === 'drafted' ? { status: 'updated', answer: answers.get(decision.draft.before.name)! } : decision,
  );
}

async function lockAndRead(
  trx: Transaction<FlagsTables>,
  patches: readonly Patch[],
  lockedRows: LockedRows,
): Promise<Known> {
  const names = patches.map(({ input }) => input.featureName);
  const features = await lockFeatures(trx, names, lockedRows);
  const others = lockedRows === 'skip' ? names.filter((name) => !features.has(name)) : [];
  const isOfType = patches.some(({ input }) => input.operations.some(({ path }) => path === '/type'));
  return {
    features,
    locked: await findFeatureNames(trx, others),
    types: isOfType ? await findFeatureTypeIds(trx) : [],
  };
}

async function decide(trx: Transaction<FlagsTables>, patch: Patch, known: Known): Promise<Decision> {
  const { projectId, featureName } = patch.input;
  if (known.locked.has(featureName)) return { status: 'locked' };
  try {
    // The deadline may have passed while the transaction waited for the row.
    if (Date.now() >= patch.context.deadline) throw deadlinePassed();
    const before = await requireFeature(trx, projectId, featureName, known.features.get(featureName));
    return { status: 'drafted', draft: draftOf(patch, before, known.types) };
  } catch (error) {
    return { status: 'refused', error };
  }
}

/** Throws the refusal of a patch that may not be carried out. */
function draftOf({ input, context }: Patch, before: StoredFeature, types: readonly string[]): Draft {
  const document = toDocument(before);
  const changed = patched(document, input.operations);
  const difference = changeBetween(document, changed);
  if (difference === null) return { context, before, after: before, difference };

  const { project, name } = before;
  if (before.archivedAt !== null && changed.archived) throw featureNotFound(project, name);
  if (difference.archive === 'archived') requirePermission(actorOf(context), 'DELETE_FEATURE', { project });
  // The type that a flag has exists: a foreign key sees to it.
  checkFeature(changed, changed.type === before.type ? [before.type] : types);
  return { context, before, after: withDocument(before, changed), difference };
}

/** The flags' rows are locked by the caller. */
async function write(trx: Transaction<FlagsTables>, emit: Emit, drafts: readonly Draft[]): Promise<void> {
  const changes = drafts.flatMap(({ difference, ...draft }) => (difference === null ? [] : { ...draft, difference }));
  if (changes.length === 0) return;
  const namesOf = (archive: FeatureChange['archive']) =>
    changes.filter(({ difference }) => difference.archive === archive).map(({ after }) => after.name);
  const switchedOff = await switchAllOff(trx, namesOf('revived'));
  await enterStage(trx, namesOf('archived'), 'archived');
  await enterStage(trx, namesOf('revived'), 'initial');
  updateFeatures(
    trx,
    changes.map(({ after }) => after),
  );
  await emit(
    ...changes.map(({ context, before, after, difference }) => {
      const events = eventsOf(difference, before, after, switchedOff.get(after.name) ?? []);
      // Nearly all that a patch may change is in what SDKs get, in every environment.
      return { context, feature: after, events, visibleIn: 'all' as const };
    }),
  );
}

/** A revival comes first, with the environments in which the flag was on before it; an archiving comes last. */
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
    const [data, preData] = [toEventData(after), toEventData(before)];
    events.push({ type: 'feature-metadata-updated', data, preData });
  }
  if (difference.stale !== null) events.push({ type: `feature-stale-${difference.stale}` });
  if (difference.archive === 'archived') events.push({ type: 'feature-archived' });
  return events;
}
