import type { ServedContext } from '@yardarm/shared/bus';
import type { importFeatures as contract } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { TimeSlicer } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { deletePrepared, findKeysOfOthers, insertPrepared } from '../changes/prepared-events.repo.ts';
import { type Change, type Emit, orderingKeyOf, recordChange } from '../changes/record-change.ts';
import type { FlagsTables } from '../db/schema.ts';
import { featureNameExists, featureOrderingKey, type StoredFeature } from '../features/feature.ts';
import { updateFeatures } from '../features/features.repo.ts';
import { insertTagTypes } from '../features/tag-types/tag-types.repo.ts';
import { requireTagTypes } from '../features/tags/change-tags.ts';
import { insertFeatureTags } from '../features/tags/feature-tags.repo.ts';
import { tagKey } from '../features/tags/tag.ts';
import { insertTags } from '../features/tags/tags.repo.ts';
import { requireRoomForNew } from '../places/limits/limits.repo.ts';
import { requireRoom } from '../places/limits/room.repo.ts';
import { requireWithinFeatureLimit } from '../places/projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { insertContextFields } from '../targeting/context-fields/context-fields.repo.ts';
import { type ReadDocument, withDocument } from './import-document.ts';
import { changeOfFlag, importOrderingKey } from './import-events.ts';
import { type FlagPlan, type ImportPlan, planImport } from './import-plan.ts';
import { lockImportTarget } from './import-target.repo.ts';
import {
  deleteTagsOfFeatures,
  insertFeatures,
  replaceDependencies,
  replaceLinks,
  replaceStrategies,
  updateStates,
} from './import-writes.repo.ts';
import {
  type Created,
  changesOf,
  featureOf,
  type PreparedImport,
  prepareImport,
  requireAllowed,
  tagsAfter,
} from './prepare-import.ts';
import { requirePlace } from './require-place.ts';

type Trx = Transaction<FlagsTables>;

// The states of an import:
//
//   prepared  The document is read and checked, every change is decided, and the rows of the events are made. No row
//             is locked.
//   inserted  The transaction has inserted the events. Others do not see them, and no row that others need is locked.
//   locked    The project, the flags and what they refer to are locked, in the common order. What has changed since the
//             preparation is decided again, and its events are replaced.
//   written   The flags are written, in few statements, between which other requests run.
//
// Other requests wait from `locked` to the commit. So nothing is computed there for a flag that has not changed.
// A flag has changed if its row differs: each change of a flag raises its version.

/**
 * Imports flags into an environment of a project, all or none but those that are archived. The strategies, the switch
 * and the tags of each flag become those of the document, and its parents and links if the document names any for it;
 * its other environments stay. An import that changes nothing emits nothing.
 */
export async function importFeatures(
  resources: FlagsResources,
  { document: sent }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await withDocument(resources, sent, context, (read) => importDocument(resources, read, context));
}

async function importDocument(resources: FlagsResources, read: ReadDocument, context: ServedContext): Promise<void> {
  const prepared = await prepareImport(resources, read, context);
  const { document } = prepared;
  await recordChange(resources, context, async (trx, emit) => {
    await insertPrepared(trx, prepared.events, new TimeSlicer(context));
    const found = await requirePlace(trx, document.place);
    const { target, changed } = await lockImportTarget(trx, found, document.data, prepared.target);
    const kept = prepared.plan.flags.filter(({ imported }) => changed !== null && !changed.has(imported.name));
    const isKept = kept.length === prepared.plan.flags.length;
    const bounds = { limits: resources.limits, deadline: context.deadline };
    const plan = isKept
      ? prepared.plan
      : await planImport(document, target, bounds, new Map(kept.map((flag) => [flag.imported.name, flag])));
    if (!isKept) {
      refuseMadeMeanwhile(prepared.plan, plan);
      requireAllowed(plan, document, context);
    }
    const stored = (flag: FlagPlan) => featureOf(flag, target, context, prepared.at);
    const created = await write(trx, plan, stored, document);
    const flags = plan.flags.map((flag) => {
      const change = prepared.changeOf.get(flag);
      return change === undefined ? changeOfFlag(context, flag, stored(flag), document.place.environment) : change;
    });
    const changes = changesOf(context, document, created, flags, tagsAfter(plan));
    const isWhole = changed !== null && isSame(created, prepared.created) && prepared.changes.length > 0;
    await emitUnprepared(trx, emit, context, prepared, changes, isWhole && changes.length > 0 ? changed : null);
    if (plan.contextFields.length > 0) await requireRoom(trx, 'context fields');
    if (plan.tagTypes.length > 0) await requireRoom(trx, 'tag types');
    if (created.tags.length > 0) await requireRoom(trx, 'tags');
    if (plan.flags.some(({ before }) => before === null)) {
      await requireWithinFeatureLimit(trx, found.project);
      await requireRoomForNew(trx, 'features', resources.limits);
    }
  });
}

/**
 * Of two imports that make the same flag the second one fails: as an update it would overwrite what its caller has
 * never seen.
 */
function refuseMadeMeanwhile(prepared: ImportPlan, plan: ImportPlan): void {
  const isNew = new Set(prepared.flags.filter(({ before }) => before === null).map(({ imported }) => imported.name));
  const made = plan.flags.find(({ imported, before }) => before !== null && isNew.has(imported.name));
  if (made !== undefined) throw featureNameExists(made.imported.name);
}

/**
 * Emits the changes, with the events of those alone whose prepared events are wrong: of flags that have changed since
 * the preparation (null: of all), and of keys that have got an event since then, which has to come first.
 */
async function emitUnprepared(
  trx: Trx,
  emit: Emit,
  { requestId }: ServedContext,
  { events }: PreparedImport,
  changes: readonly Change[],
  changed: ReadonlySet<string> | null,
): Promise<void> {
  const wrong = await findKeysOfOthers(trx, events);
  for (const name of changed ?? []) wrong.add(featureOrderingKey(name));
  // The event of the whole import stays the last one.
  if (wrong.size > 0) wrong.add(importOrderingKey(requestId));
  const isWrong = (key: string) => changed === null || wrong.has(key);
  await deletePrepared(trx, events, isWrong);
  const emitted = changes.flatMap((change): Change | Change[] => {
    if (isWrong(orderingKeyOf(change))) return change;
    return 'feature' in change ? { ...change, events: [] } : [];
  });
  if (emitted.length > 0) await emit(...emitted);
}

function isSame(created: Created, planned: Created): boolean {
  const keys = ({ tagTypes, contextFields, tags }: Created) =>
    new Set([...tagTypes.map(({ name }) => name), ...contextFields.map(({ name }) => name), ...tags.map(tagKey)]);
  return keys(created).symmetricDifference(keys(planned)).size === 0;
}

/** The flags are first. Returns what is made beside flags: others may make the same. */
async function write(
  trx: Trx,
  plan: ImportPlan,
  stored: (flag: FlagPlan) => StoredFeature,
  { place: { project, environment } }: ReadDocument,
): Promise<Created> {
  const { flags } = plan;
  const created = flags.filter(({ before }) => before === null);
  const ofFlags = <Item extends object>(items: (flag: FlagPlan) => readonly Item[]) =>
    flags.flatMap((flag) =>
      items(flag).map((item) => ({ ...item, child: flag.imported.name, featureName: flag.imported.name })),
    );
  const inserted = await insertFeatures(trx, created.map(stored));
  const [definitions, tags] = await Promise.all([
    insertDefinitions(trx, project, plan),
    writeTags(trx, flags),
    replaceStrategies(
      trx,
      environment,
      flags.flatMap(({ strategies }) => strategies?.removed ?? []),
      flags.flatMap(({ strategies }) => strategies?.added ?? []),
    ),
    updateStates(
      trx,
      environment,
      flags
        .filter(({ enabled, variants }) => enabled !== null || variants !== null)
        .map(({ imported, enabled, variants }) => ({
          name: imported.name,
          enabled,
          variants: variants?.after ?? null,
        })),
    ),
    replaceDependencies(
      trx,
      ofFlags(({ dependencies }) => dependencies.removed),
      ofFlags(({ dependencies }) => dependencies.set.map(({ after }) => after)),
    ),
    replaceLinks(
      trx,
      flags.flatMap(({ links }) => links?.removed ?? []),
      ofFlags(({ links }) => links?.added ?? []),
    ),
  ]);
  const names = new Set(inserted);
  const taken = created.find(({ imported }) => !names.has(imported.name))?.imported.name;
  // Another transaction has made the flag since this one read the names.
  if (taken) throw featureNameExists(taken);
  const updated = flags.flatMap(({ update }) => update?.after ?? []);
  await updateFeatures(trx, updated);
  return { ...definitions, tags };
}

/** Another transaction may have made a type or field of the same name meanwhile, which is then used as it is. */
async function insertDefinitions(
  trx: Trx,
  project: string,
  { tagTypes, contextFields }: ImportPlan,
): Promise<Pick<Created, 'tagTypes' | 'contextFields'>> {
  const newFields = contextFields.map((field) => ({ ...field, project: field.project ? project : null }));
  const [types, fields] = await Promise.all([
    tagTypes.length === 0 ? [] : insertTagTypes(trx, tagTypes),
    newFields.length === 0 ? [] : insertContextFields(trx, newFields),
  ]);
  const names = new Set(fields.map(({ name }) => name));
  return { tagTypes: types, contextFields: contextFields.filter(({ name }) => names.has(name)) };
}

/** Returns the tags that are new. */
async function writeTags(trx: Trx, flags: readonly FlagPlan[]) {
  const ofFlags = (tagsOf: (flag: FlagPlan) => FlagPlan['tags']['added']) =>
    flags.flatMap((flag) => tagsOf(flag).map((tag) => ({ ...tag, featureName: flag.imported.name })));
  const added = ofFlags(({ tags }) => tags.added);
  await requireTagTypes(trx, added);
  const [newTags] = await Promise.all([
    insertTags(trx, added),
    deleteTagsOfFeatures(
      trx,
      ofFlags(({ tags }) => tags.removed),
    ),
    insertFeatureTags(trx, added),
  ]);
  return newTags;
}
