import { isDeepStrictEqual } from 'node:util';
import type { ImportedFeatures, Tag } from '@yardarm/shared/contracts/flags';
import { type Kysely, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import { toRow } from '../db/rows.ts';
import type { FlagsTables } from '../db/schema.ts';
import { dependencyJson } from '../features/dependencies/dependencies.repo.ts';
import type { Dependency } from '../features/dependencies/dependency.ts';
import { findFeatureTypeIds } from '../features/feature-types/feature-types.repo.ts';
import { lockFeatures } from '../features/features.repo.ts';
import { tagKey } from '../features/tags/tag.ts';
import { tagRows } from '../features/tags/tags.repo.ts';
import type { StoredProject } from '../places/projects/project.ts';
import { findDefinitions } from '../targeting/strategies/definitions.repo.ts';
import { segmentsOfStrategy } from '../targeting/strategies/strategies.repo.ts';
import type { FeatureState, ImportTarget, References } from './import-target.ts';

type Db = Kysely<FlagsTables>;

export async function hasEnvironment(db: Db, project: string, environment: string): Promise<boolean> {
  const { rows } = await sql`
    select from project_environments where project = ${project} and environment = ${environment}`.execute(db);
  return rows.length > 0;
}

/**
 * Reads what a document refers to, in a fixed number of statements, and locks no flag. The flags come before their
 * states: a change in between leaves the earlier version here, which `lockKnown` notices.
 */
export async function findImportTarget(
  trx: Transaction<FlagsTables>,
  { project, environment }: { project: StoredProject; environment: string },
  data: ImportedFeatures,
): Promise<ImportTarget> {
  const names = namesOf(data);
  const features = await sql<Selectable<FlagsTables['features']>>`
    select * from features where name = any(${names}::text[]) order by name`.execute(trx);
  const counts = await sql<ImportTarget['counts']>`
    select
      count(*)::integer as features, (count(*) filter (where project = ${project.id}))::integer as "ofProject"
    from features where archived_at is null`.execute(trx);
  return {
    ...{ project, environment, counts: counts.rows[0]! },
    ...(await findReferences(trx, project, data, names)),
    features: new Map(features.rows.map((row) => [row.name, toRow(row)])),
    states: await findStates(trx, environment, names),
  };
}

/**
 * Locks the flags of a document for a change, in the order of their names, and reads again what differs from an earlier
 * read. Returns what is now known, with the names of the flags that have changed since then or depend on such a flag;
 * null when something else has changed, so that the earlier read says nothing.
 */
export async function lockImportTarget(
  trx: Transaction<FlagsTables>,
  { project, environment }: { project: StoredProject; environment: string },
  data: ImportedFeatures,
  earlier: ImportTarget,
): Promise<{ target: ImportTarget; changed: ReadonlySet<string> | null }> {
  const names = namesOf(data);
  const features = await lockFeatures(trx, names);
  const references = await findReferences(trx, project, data, names);
  const withStates = async (read: readonly string[]): Promise<ImportTarget> => {
    const states = read.length === 0 ? new Map() : await findStates(trx, environment, read);
    return { ...earlier, ...references, project, features, states: new Map([...earlier.states, ...states]) };
  };
  // The commit decides about the limit of the project.
  const isSame =
    isDeepStrictEqual(project.featureNaming, earlier.project.featureNaming) &&
    (Object.keys(references) as (keyof References)[]).every((key) => isDeepStrictEqual(references[key], earlier[key]));
  if (!isSame) return { target: await withStates(names), changed: null };
  const changed = new Set(names.filter((name) => !isDeepStrictEqual(features.get(name), earlier.features.get(name))));
  for (const { feature, dependencies } of data.dependencies) {
    if (dependencies.some((on) => changed.has(on.feature))) changed.add(feature);
  }
  return { target: await withStates([...changed]), changed };
}

/** The flags of a document, and the parents that it names. */
function namesOf({ features, dependencies }: ImportedFeatures): string[] {
  const related = dependencies.flatMap(({ feature, dependencies: on }) => [feature, ...on.map((one) => one.feature)]);
  return [...new Set([...features.map(({ name }) => name), ...related])];
}

/** What flags refer to. The statements travel together. Types, fields and segments stay until the commit. */
async function findReferences(
  trx: Transaction<FlagsTables>,
  project: StoredProject,
  data: ImportedFeatures,
  names: readonly string[],
): Promise<References> {
  const tags = data.featureTags.map(tagOf);
  const tagTypes = [...new Set([...tags.map(({ type }) => type), ...data.tagTypes.map(({ name }) => name)])];
  const [segments, fields, types, families, present] = await trx.batch(
    sql<{ id: number; name: string }>`
      select id, name from segments
      where name = any(${data.segments.map(({ name }) => name)}::text[]) and (project is null or project = ${project.id})
      order by id for key share`,
    sql<{ name: string; legalValues: { value: string }[] }>`
      select name, legal_values as "legalValues" from context_fields
      where name = any(${contextNames(data)}::text[])
      order by name for key share`,
    sql<{ name: string }>`
      select name from tag_types where name = any(${tagTypes}::text[]) order by name for key share`,
    sql<{ child: string; dependency: Dependency }>`
      select d.child, ${dependencyJson} as dependency
      from feature_dependencies d where child = any(${names}::text[]) or parent = any(${names}::text[])
      order by child, parent`,
    sql<Tag>`
      select distinct tags.type, tags.value from ${tagRows(tags)} join tags using (type, value) order by 1, 2`,
  );
  const strategies = data.featureStrategies.map((strategy) => ({ ...strategy, segments: [] }));
  const definitions = await findDefinitions(trx, strategies, project.id);
  return {
    definitions: { ...definitions, segments: new Set(segments.map(({ id }) => id)) },
    featureTypes: await findFeatureTypeIds(trx),
    segments: new Map(segments.map(({ id, name }) => [name, id])),
    contextFields: new Map(fields.map(({ name, legalValues }) => [name, legalValues.map(({ value }) => value)])),
    tagTypes: new Set(types.map(({ name }) => name)),
    tags: new Set(present.map(tagKey)),
    families,
  };
}

function contextNames({ contextFields, featureStrategies }: ImportedFeatures): string[] {
  const constrained = featureStrategies.flatMap(({ constraints }) => constraints.map((each) => each.contextName));
  return [...new Set([...contextFields.map(({ name }) => name), ...constrained])];
}

/** A tag of the document. Its value is empty when it has none. */
export function tagOf({ tagType, type, tagValue, value }: ImportedFeatures['featureTags'][number]): Tag {
  return { type: tagType ?? type ?? 'simple', value: tagValue ?? value ?? '' };
}

async function findStates(db: Db, environment: string, names: readonly string[]): Promise<Map<string, FeatureState>> {
  const { rows } = await sql<FeatureState>`
    select
      f.name, own.enabled, coalesce(own.variants, '[]') as variants,
      (
        select coalesce(
          json_agg(
            json_build_object(
              'id', s.id, 'name', s.name, 'title', s.title, 'disabled', s.disabled, 'featureName', s.feature_name,
              'sortOrder', s.sort_order, 'segments', ${segmentsOfStrategy}, 'constraints', s.constraints,
              'variants', s.variants, 'parameters', s.parameters
            ) order by s.sort_order, s.id
          ), '[]')
        from feature_strategies s where s.feature_name = f.name and s.environment = ${environment}
      ) as strategies,
      (
        select coalesce(sum(
          octet_length(s.parameters::text) + octet_length(s.constraints::text) + octet_length(s.variants::text)
        ), 0)::integer
        from feature_strategies s where s.feature_name = f.name and s.environment <> ${environment}
      ) + (
        select coalesce(sum(octet_length(fe.variants::text)), 0)::integer
        from feature_environments fe where fe.feature_name = f.name and fe.environment <> ${environment}
      ) as "otherBytes",
      (
        select coalesce(json_agg(json_build_object('type', t.type, 'value', t.value) order by t.type, t.value), '[]')
        from feature_tags t where t.feature_name = f.name
      ) as tags,
      (
        select coalesce(
          json_agg(json_build_object('id', l.id, 'url', l.url, 'title', l.title) order by l.created_at, l.id), '[]')
        from feature_links l where l.feature_name = f.name
      ) as links
    from features f
    left join feature_environments own on own.feature_name = f.name and own.environment = ${environment}
    where f.name = any(${names}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.name, row]));
}
