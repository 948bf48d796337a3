import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { patchFeature as contract, Feature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf, type FeatureEvent, type FlagsParts, recordChange, tell } from '../changes/record-change.ts';
import type { VisibleChange } from '../changes/revisions.repo.ts';
import { Rounds } from '../changes/rounds.ts';
import type { FlagsTables } from '../db/schema.ts';
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
import { readFeatureViewsAtEnd } from './feature-views.repo.ts';
import { enterStage, lockFreeFeatures, updateFeatures } from './features.repo.ts';
import { lockedFeature } from './find-feature.ts';
import { patched } from './json-patch.ts';
import { missingFeature } from './missing.ts';

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

/** Answers one patch of a round, or throws why it is refused. */
type Outcome = () => Feature | Promise<Feature>;

/**
 * Changes flags by JSON Patches, each whole or not at all, and tells each kind of change by its own event. An archived flag changes
 * by nothing but a patch that revives it; a revived one is off everywhere, so that no old rollout comes back by surprise.
 *
 * Patches of different flags that come at the same time share a transaction: all of them raise the same few revisions, and each
 * alone would hold those rows until its own commit is on the disk, with the others waiting.
 */
export function patchFeatures(parts: FlagsParts): (input: Patch['input'], context: ServedContext) => Promise<Feature> {
  const rounds = new Rounds<Patch, Feature>({
    keyOf: ({ input }) => input.featureName,
    run: (patches) => patchTogether(parts, patches),
    // While the database is away, or when nobody knows whether it has committed, nothing is tried again.
    isOfOneItem: (error) => !(error instanceof AppError && ['unavailable', 'timeout'].includes(error.code)),
  });
  return (input, context) => rounds.ask({ input, context });
}

/** Waits for no flag: the patch of one that another holds, or that is not there, goes on alone. */
async function patchTogether(parts: FlagsParts, patches: readonly Patch[]): Promise<Outcome[]> {
  const names = patches.map(({ input }) => input.featureName);
  return await recordChange(parts, async (trx) => {
    const free = await lockFreeFeatures(trx, names);
    const types = await knownTypes(trx, patches);
    const drafts: Draft[] = [];
    const outcomes: Outcome[] = [];
    for (const patch of patches) {
      const { projectId, featureName } = patch.input;
      const before = free.get(featureName);
      if (before?.project !== projectId) {
        outcomes.push(() => patchAlone(parts, patch));
        continue;
      }
      try {
        requireTime(patch);
        drafts.push(drafted(patch, before, types));
        outcomes.push(() => views.get(featureName)!);
      } catch (refusal) {
        outcomes.push(() => {
          throw refusal;
        });
      }
    }
    const { views, visible } = await carryOut(trx, drafts);
    return { answer: outcomes, visible };
  });
}

/** Waits for the flag's row as long as another holds it. */
async function patchAlone(parts: FlagsParts, patch: Patch): Promise<Feature> {
  const { projectId, featureName } = patch.input;
  const views = await recordChange(parts, async (trx) => {
    const before = await lockedFeature(trx, projectId, featureName);
    const draft = drafted(patch, before, await knownTypes(trx, [patch]));
    const { views, visible } = await carryOut(trx, [draft]);
    return { answer: views, visible };
  });
  return views.get(featureName)!;
}

/** The types that there are, if one of the patches could need them. */
async function knownTypes(trx: Transaction<FlagsTables>, patches: readonly Patch[]): Promise<string[]> {
  const isOfType = patches.some(({ input }) => input.operations.some(({ path }) => path === '/type'));
  return isOfType ? await readFeatureTypeIds(trx) : [];
}

/** Nobody waits any more for a patch that stood behind others until its deadline. */
function requireTime({ context }: Patch): void {
  if (Date.now() < context.deadline) return;
  throw new AppError('timeout', 'The request was over before its turn came; nothing was done.');
}

/** Throws the refusal of a patch that may not be carried out. */
function drafted(patch: Patch, before: StoredFeature, types: readonly string[]): Draft {
  const { input, context } = patch;
  const { projectId: project, featureName: name, operations } = input;
  const document = patched(changeable(before), operations);
  const difference = changeBetween(changeable(before), document);
  if (difference === null) return { context, before, after: before, difference };

  if (before.archivedAt !== null && document.archived) throw missingFeature(project, name);
  if (difference.archive === 'archived') requirePermission(actorOf(context), 'DELETE_FEATURE', { project });
  // The type that a flag has is one that is there: a foreign key sees to it.
  checkFeature(document, document.type === before.type ? [before.type] : types);
  return { context, before, after: withChanges(before, document), difference };
}

/** The flags' rows are locked by the caller. The flags as they are then, by name, are there once the transaction has ended. */
async function carryOut(
  trx: Transaction<FlagsTables>,
  drafts: readonly Draft[],
): Promise<{ views: Map<string, Feature>; visible: VisibleChange[] }> {
  const changes = drafts.flatMap((draft) => {
    const { difference } = draft;
    return difference === null ? [] : [{ ...draft, difference }];
  });
  const namesOf = (archive: FeatureChange['archive']) =>
    changes.filter(({ difference }) => difference.archive === archive).map(({ after }) => after.name);
  if (changes.length > 0) {
    const switchedOff = await switchAllOff(trx, namesOf('revived'));
    await enterStage(trx, namesOf('archived'), 'archived');
    await enterStage(trx, namesOf('revived'), 'initial');
    updateFeatures(
      trx,
      changes.map(({ after }) => after),
    );
    await tell(
      trx,
      changes.map(({ context, before, after, difference }) => {
        const events = eventsOf(difference, before, after, switchedOff.get(after.name) ?? []);
        return { context, feature: after, events };
      }),
    );
  }
  const views = new Map<string, Feature>();
  const names = drafts.map(({ after }) => after.name);
  readFeatureViewsAtEnd(trx, names, (read) => {
    for (const [name, view] of read) views.set(name, view);
  });
  // Everything that a patch may change stands in what SDKs get, in every environment.
  const visible = changes.map(({ after }) => ({
    featureName: after.name,
    environment: null,
    isRemoved: after.archivedAt !== null,
  }));
  return { views, visible };
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
