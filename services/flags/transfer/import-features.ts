import { noAccess } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { importFeatures as contract, ImportDocument } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf, type Change, type Emit, recordChange } from '../changes/record-change.ts';
import { contextFieldEventData, contextFieldOrderingKey } from '../context-fields/context-field.ts';
import { insertContextFields } from '../context-fields/context-fields.repo.ts';
import type { FlagsTables } from '../db/schema.ts';
import { updateFeatures } from '../features/features.repo.ts';
import { requireWithinLimit } from '../limits/limits.repo.ts';
import { requireWithinFeatureLimit } from '../projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { tagTypeEventData, tagTypeOrderingKey } from '../tag-types/tag-type.ts';
import { insertTagTypes } from '../tag-types/tag-types.repo.ts';
import { requireTagTypes, tagsCreated } from '../tags/change-tags.ts';
import { insertFeatureTags } from '../tags/feature-tags.repo.ts';
import { insertTags } from '../tags/tags.repo.ts';
import { readDocument } from './import-document.ts';
import { changeOfFlag, itemsImported } from './import-events.ts';
import { type FlagPlan, type ImportPlan, planImport } from './import-plan.ts';
import {
  deleteTagsOfFeatures,
  insertDependencies,
  insertFeatures,
  insertLinks,
  replaceStrategies,
  updateStates,
} from './import-writes.repo.ts';
import { findKnown } from './known.repo.ts';
import { requirePlace } from './require-place.ts';
import { missingPermissions } from './required-permissions.ts';

type Trx = Transaction<FlagsTables>;

/**
 * Imports flags into an environment of a project, all or none. The strategies and the switch of each flag there become
 * those of the document; its other environments stay. The number of statements does not depend on that of the flags.
 * An import that changes nothing emits nothing.
 */
export async function importFeatures(
  resources: FlagsResources,
  { document: sent }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  const document = await readDocument(resources, sent);
  const { data, place } = document;
  await recordChange(resources, async (trx, emit) => {
    const found = await requirePlace(trx, place);
    const known = await findKnown(trx, found, data, true);
    const plan = planImport(document, known, resources.limits);
    requireNoProblems(plan);
    const [missing] = missingPermissions(plan, actorOf(context), place);
    if (missing) throw noAccess(missing, place);
    await carryOut(trx, emit, context, { data, ...place }, plan);
    if (plan.flags.some(({ before }) => before === null)) {
      await requireWithinFeatureLimit(trx, found.project);
      await requireWithinLimit(trx, 'features', resources.limits);
    }
  });
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

async function carryOut(
  trx: Trx,
  emit: Emit,
  context: ServedContext,
  { data, project, environment }: ImportDocument,
  plan: ImportPlan,
): Promise<void> {
  const { flags } = plan;
  const created = flags.filter(({ before }) => before === null).map(({ imported }) => imported);
  const inserted = await insertFeatures(trx, project, actorOf(context).id, created);
  const features = new Map(inserted.map((feature) => [feature.name, feature]));
  const taken = created.find(({ name }) => !features.has(name));
  // Another transaction has made the flag since this one read the names.
  if (taken) throw new AppError('bad-data', `There is already a feature called ${redactValue(taken.name, [])}.`);
  const updated = flags.flatMap(({ update }) => update?.after ?? []);
  if (updated.length > 0) await updateFeatures(trx, updated);
  const definitions = await insertDefinitions(trx, context, project, plan);
  const newTags = await writeTags(trx, flags);
  await replaceStrategies(
    trx,
    environment,
    flags.flatMap(({ strategies }) => strategies?.removed ?? []),
    flags.flatMap(({ strategies }) => strategies?.added ?? []),
  );
  await updateStates(
    trx,
    environment,
    flags
      .filter(({ enabled, variants }) => enabled !== null || variants !== null)
      .map(({ imported, enabled, variants }) => ({ name: imported.name, enabled, variants: variants?.after ?? null })),
  );
  const ofFlags = <Item extends object>(items: (flag: FlagPlan) => readonly Item[]) =>
    flags.flatMap((flag) =>
      items(flag).map((item) => ({ ...item, child: flag.imported.name, featureName: flag.imported.name })),
    );
  await insertDependencies(
    trx,
    ofFlags(({ dependencies }) => dependencies.map(({ after }) => after)),
  );
  await insertLinks(
    trx,
    ofFlags(({ links }) => links?.added ?? []),
  );

  const changed = flags.flatMap((flag): Change | Change[] => {
    const feature = features.get(flag.imported.name) ?? flag.update?.after ?? flag.before!;
    return changeOfFlag(context, flag, feature, environment) ?? [];
  });
  const changes = [...definitions, ...tagsCreated(context, newTags), ...changed];
  if (changes.length === 0) return;
  await emit(...changes, ...itemsImported(context, data, { project, environment }));
}

/** Another transaction may have made a type or field of the same name meanwhile, which is then used as it is. */
async function insertDefinitions(
  trx: Trx,
  context: ServedContext,
  project: string,
  { tagTypes, contextFields }: ImportPlan,
): Promise<Change[]> {
  const types = tagTypes.length === 0 ? [] : await insertTagTypes(trx, tagTypes);
  const newFields = contextFields.map((field) => ({ ...field, project: field.project ? project : null }));
  const fields = newFields.length === 0 ? [] : await insertContextFields(trx, newFields);
  return [
    ...types.map((type) => ({
      ...{ context, orderingKey: tagTypeOrderingKey(type.name) },
      events: [{ type: 'tag-type-created' as const, data: tagTypeEventData(type) }],
    })),
    ...fields.map((field) => ({
      ...{ context, orderingKey: contextFieldOrderingKey(field.name) },
      events: [
        {
          ...{ type: 'context-field-created' as const, data: contextFieldEventData(field) },
          ...(field.project !== null && { project: field.project }),
        },
      ],
    })),
  ];
}

/** Returns the tags that are new. */
async function writeTags(trx: Trx, flags: readonly FlagPlan[]) {
  const ofFlags = (tagsOf: (flag: FlagPlan) => FlagPlan['tags']['added']) =>
    flags.flatMap((flag) => tagsOf(flag).map((tag) => ({ ...tag, featureName: flag.imported.name })));
  const added = ofFlags(({ tags }) => tags.added);
  await requireTagTypes(trx, added);
  const newTags = await insertTags(trx, added);
  await deleteTagsOfFeatures(
    trx,
    ofFlags(({ tags }) => tags.removed),
  );
  await insertFeatureTags(trx, added);
  return newTags;
}
