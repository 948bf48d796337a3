import { noAccess } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { Tag } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { TimeSlicer } from '@yardarm/shared/waiting';
import { type PreparedEvents, prepareEvents } from '../changes/prepared-events.repo.ts';
import { actorOf, type Change, type ChangedFeature, eventsOf } from '../changes/record-change.ts';
import type { StoredFeature } from '../features/feature.ts';
import { tagTypeEventData, tagTypeOrderingKey } from '../features/tag-types/tag-type.ts';
import { tagsCreated } from '../features/tags/change-tags.ts';
import { tagKey } from '../features/tags/tag.ts';
import type { FlagsResources } from '../resources.ts';
import { contextFieldEventData, contextFieldOrderingKey } from '../targeting/context-fields/context-field.ts';
import { leaveOutArchived } from './archived-flags.ts';
import type { ReadDocument } from './import-document.ts';
import { changeOfFlag, itemsImported } from './import-events.ts';
import { type FlagPlan, type ImportPlan, planImport } from './import-plan.ts';
import { findImportTarget } from './import-target.repo.ts';
import type { ImportTarget } from './import-target.ts';
import type { NewDefinitions } from './imported-definitions.ts';
import { requirePlace } from './require-place.ts';
import { missingPermissions } from './required-permissions.ts';

/** An import that is decided, with its events. Its transaction has nothing to compute while it holds locks. */
export interface PreparedImport {
  /** Without archived flags. */
  document: ReadDocument;
  target: ImportTarget;
  plan: ImportPlan;
  created: Created;
  /** What each plan of a flag changes; null for one that changes nothing. */
  changeOf: ReadonlyMap<FlagPlan, ChangedFeature | null>;
  /** All changes in the order of their events. Empty when the import changes nothing. */
  changes: Change[];
  events: PreparedEvents;
  /** When the new flags are created. */
  at: Date;
}

/** What an import makes beside flags. */
export interface Created extends NewDefinitions {
  tags: readonly Tag[];
}

/** Throws `bad-data` with the problems of the import, or `no-access`. */
export async function prepareImport(
  resources: Pick<FlagsResources, 'changes' | 'db' | 'limits'>,
  read: ReadDocument,
  context: ServedContext,
): Promise<PreparedImport> {
  const target = await readImportTarget(resources, read, context);
  const { document } = leaveOutArchived(read, target);
  const plan = await planImport(document, target, { limits: resources.limits, deadline: context.deadline });
  requireAllowed(plan, document, context);
  const at = new Date();
  const slicer = new TimeSlicer(context);
  const changed = await slicer.map(plan.flags, (flag) =>
    changeOfFlag(context, flag, featureOf(flag, target, context, at), document.place.environment),
  );
  const changeOf = new Map(plan.flags.map((flag, index) => [flag, changed[index] ?? null]));
  const created = { ...plan, tags: newTags(plan, target) };
  const tags = tagsAfter(plan);
  const changes = changesOf(context, document, created, changed, tags);
  const events = await prepareEvents(eventsOf(changes, tags), slicer);
  return { document, target, plan, created, changeOf, changes, events, at };
}

/** Reads what a document refers to. It may wait for a change that locks the project, so it counts as a change. */
export async function readImportTarget(
  { changes, db }: Pick<FlagsResources, 'changes' | 'db'>,
  { data, place }: ReadDocument,
  context: ServedContext,
): Promise<ImportTarget> {
  return await changes.run(context, () =>
    db.transaction(async (trx) => await findImportTarget(trx, await requirePlace(trx, place), data)),
  );
}

export function requireAllowed(plan: ImportPlan, { place }: ReadDocument, context: ServedContext): void {
  requireNoProblems(plan);
  const [missing] = missingPermissions(plan, actorOf(context), place);
  if (missing) throw noAccess(missing, place);
}

function requireNoProblems({ problems }: ImportPlan): void {
  const errors = problems.list();
  if (errors.length === 0) return;
  const details = errors.map(({ message, affectedItems }) => ({
    // The whole list is the answer of the validation.
    message: `${message} ${affectedItems.slice(0, 10).join(', ')}${affectedItems.length > 10 ? ', …' : ''}`,
  }));
  throw new AppError('bad-data', `The import has problems and nothing was changed. ${details[0]!.message}`, {
    details,
  });
}

/** The flag after the import. */
export function featureOf(
  { imported, before, update }: FlagPlan,
  { project }: ImportTarget,
  context: ServedContext,
  createdAt: Date,
): StoredFeature {
  if (before) return update?.after ?? before;
  const { id: createdByUserId } = actorOf(context);
  return {
    ...{ ...imported, project: project.id, createdAt, createdByUserId },
    ...{ archivedAt: null, version: 0, potentiallyStaleSince: null },
  };
}

/** Those of the added tags that do not exist. */
function newTags({ flags }: ImportPlan, target: ImportTarget): Tag[] {
  const added = new Map(flags.flatMap(({ tags }) => tags.added.map((tag) => [tagKey(tag), tag])));
  return [...added].flatMap(([key, tag]) => (target.tags.has(key) ? [] : tag));
}

/** The tags of each flag after the import, which all of its events have. */
export function tagsAfter({ flags }: ImportPlan): Map<string, Tag[]> {
  return new Map(flags.map((flag) => [flag.imported.name, flag.tags.after]));
}

/** The changes of an import in the order of their events: definitions, flags, items. Empty without a change. */
export function changesOf(
  context: ServedContext,
  { data, place }: ReadDocument,
  { tagTypes, contextFields, tags }: Created,
  flags: readonly (ChangedFeature | null)[],
  tagsOf: ReadonlyMap<string, Tag[]>,
): Change[] {
  const types = tagTypes.map((type) => ({
    ...{ context, orderingKey: tagTypeOrderingKey(type.name) },
    events: [{ type: 'tag-type-created' as const, data: tagTypeEventData(type) }],
  }));
  const fields = contextFields.map((field) => {
    const project = field.project ? place.project : null;
    return {
      ...{ context, orderingKey: contextFieldOrderingKey(field.name) },
      events: [
        {
          ...{ type: 'context-field-created' as const, data: contextFieldEventData({ ...field, project }) },
          ...(project !== null && { project }),
        },
      ],
    };
  });
  const changes = [...types, ...fields, ...tagsCreated(context, tags), ...flags.filter((change) => change !== null)];
  return changes.length === 0 ? [] : [...changes, ...itemsImported(context, data, place, tagsOf)];
}
