import type { ImportedFeatures } from '@yardarm/shared/contracts/flags';
import { type Kysely, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import { toRow } from '../db/rows.ts';
import type { FlagsTables } from '../db/schema.ts';
import { dependencyJson } from '../dependencies/dependencies.repo.ts';
import type { Dependency } from '../dependencies/dependency.ts';
import { findFeatureTypeIds } from '../feature-types/feature-types.repo.ts';
import type { StoredProject } from '../projects/project.ts';
import { findDefinitions } from '../strategies/definitions.repo.ts';
import { segmentsOfStrategy } from '../strategies/strategies.repo.ts';
import type { FeatureState, Known } from './known.ts';

type Db = Kysely<FlagsTables>;

export async function hasEnvironment(db: Db, project: string, environment: string): Promise<boolean> {
  const { rows } = await sql`
    select from project_environments where project = ${project} and environment = ${environment}`.execute(db);
  return rows.length > 0;
}

/**
 * Reads what a document refers to, in a fixed number of statements. Types, fields and segments stay until the commit.
 * With `isLocked` the flags are locked for a change, in the order of their names.
 */
export async function findKnown(
  db: Transaction<FlagsTables>,
  { project, environment }: { project: StoredProject; environment: string },
  data: ImportedFeatures,
  isLocked: boolean,
): Promise<Known> {
  const names = [
    ...data.features.map(({ name }) => name),
    ...data.dependencies.flatMap(({ feature, dependencies }) => [feature, ...dependencies.map((on) => on.feature)]),
  ];
  const features = await sql<Selectable<FlagsTables['features']>>`
    select * from features where name = any(${names}::text[])
    order by name ${sql.raw(isLocked ? 'for no key update' : '')}`.execute(db);
  const segments = await sql<{ id: number; name: string }>`
    select id, name from segments
    where name = any(${data.segments.map(({ name }) => name)}::text[]) and (project is null or project = ${project.id})
    order by id for key share`.execute(db);
  const fields = await sql<{ name: string; legalValues: { value: string }[] }>`
    select name, legal_values as "legalValues" from context_fields
    where name = any(${contextNames(data)}::text[])
    order by name for key share`.execute(db);
  const types = await sql<{ name: string }>`
    select name from tag_types
    where name = any(${[...data.featureTags.map(typeOfTag), ...data.tagTypes.map(({ name }) => name)]}::text[])
    order by name for key share`.execute(db);
  const families = await sql<{ child: string; dependency: Dependency }>`
    select d.child, ${dependencyJson} as dependency
    from feature_dependencies d where child = any(${names}::text[]) or parent = any(${names}::text[])`.execute(db);
  const counts = await sql<Known['counts']>`
    select
      count(*)::integer as features, (count(*) filter (where project = ${project.id}))::integer as "ofProject"
    from features where archived_at is null`.execute(db);
  const strategies = data.featureStrategies.map((strategy) => ({ ...strategy, segments: [] }));
  const definitions = await findDefinitions(db, strategies, project.id);
  return {
    ...{ project, environment },
    definitions: { ...definitions, segments: new Set(segments.rows.map(({ id }) => id)) },
    featureTypes: await findFeatureTypeIds(db),
    features: new Map(features.rows.map((row) => [row.name, toRow(row)])),
    states: await findStates(db, environment, names),
    segments: new Map(segments.rows.map(({ id, name }) => [name, id])),
    contextFields: new Map(fields.rows.map(({ name, legalValues }) => [name, legalValues.map(({ value }) => value)])),
    tagTypes: new Set(types.rows.map(({ name }) => name)),
    families: families.rows,
    counts: counts.rows[0]!,
  };
}

function contextNames({ contextFields, featureStrategies }: ImportedFeatures): string[] {
  const constrained = featureStrategies.flatMap(({ constraints }) => constraints.map((each) => each.contextName));
  return [...new Set([...contextFields.map(({ name }) => name), ...constrained])];
}

export function typeOfTag({ tagType, type }: { tagType?: string | undefined; type?: string | undefined }): string {
  return tagType ?? type ?? 'simple';
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
