import type { ExportedFeatures } from '@yardarm/shared/contracts/flags';
import { type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { TimeSlicer } from '@yardarm/shared/waiting';
import { readInPortions } from '../db/read-in-portions.ts';
import type { FlagsTables } from '../db/schema.ts';
import { dependencyJson } from '../features/dependencies/dependencies.repo.ts';
import { segmentsOfStrategy } from '../targeting/strategies/strategies.repo.ts';

export interface ExportedItem {
  kind: keyof ExportedFeatures;
  value: ExportedFeatures[ExportedItem['kind']][number];
}

/** Which flags are exported. Archived flags never are. */
export interface ExportFilter {
  features?: string[] | undefined;
  tag?: string | undefined;
  project?: string | undefined;
}

/**
 * The names of the flags of an export, by name. Only flags that are named may be archived. As in the public product, an
 * empty list leaves the choice to the tag or the project, and without these chooses every flag: consoles send it to
 * export a whole project.
 */
export async function findExportedNames(
  trx: Transaction<FlagsTables>,
  { features, tag, project }: ExportFilter,
): Promise<string[]> {
  const named = features !== undefined && features.length > 0;
  const tagged = sql`name in (
    select feature_name from feature_tags where value = ${tag ?? ''} or type || ':' || value = ${tag ?? ''}
  )`;
  const ofProject = project === undefined ? sql`true` : sql`project = ${project}`;
  const filter = named
    ? sql`name = any(${features}::text[])`
    : sql`archived_at is null and ${tag === undefined ? ofProject : tagged}`;
  const { rows } = await sql<{ name: string }>`
    select name from features where ${filter} order by name`.execute(trx);
  return rows.map(({ name }) => name);
}

/** The flags with their state in the environment and what it refers to, in portions, read at one moment. */
export function readExport(
  trx: Transaction<FlagsTables>,
  names: readonly string[],
  environment: string,
  slicer: TimeSlicer,
): AsyncGenerator<ExportedItem[]> {
  const query = sql<ExportedItem>`
    with chosen as (select * from features where name = any(${names}::text[])),
    strategies as (
      select s.* from feature_strategies s join chosen on chosen.name = s.feature_name
      where s.environment = ${environment}
    )
    ${sql.join(partsOf(environment), sql` union all `)}`;
  return readInPortions(trx, query, slicer);
}

/** Each part has the columns kind and value. A flag comes before what belongs to it. */
function partsOf(environment: string): RawBuilder<unknown>[] {
  const part = (kind: keyof ExportedFeatures, value: RawBuilder<unknown>, from: RawBuilder<unknown>) =>
    sql`(select ${kind}::text as kind, json_build_object(${value}) as value from ${from})`;
  return [
    part(
      'features',
      sql`'name', f.name, 'type', f.type, 'description', f.description, 'project', f.project, 'stale', f.stale,
        'impressionData', f.impression_data, 'archived', f.archived_at is not null`,
      sql`chosen f order by f.name`,
    ),
    part(
      'featureStrategies',
      sql`'id', s.id, 'name', s.name, 'title', s.title, 'disabled', s.disabled, 'featureName', s.feature_name,
        'sortOrder', s.sort_order, 'segments', ${segmentsOfStrategy}, 'constraints', s.constraints,
        'variants', s.variants, 'parameters', s.parameters`,
      sql`strategies s order by s.feature_name, s.sort_order, s.id`,
    ),
    part(
      'featureEnvironments',
      sql`'name', fe.feature_name, 'featureName', fe.feature_name, 'environment', fe.environment,
        'enabled', fe.enabled, 'variants', fe.variants`,
      sql`feature_environments fe join chosen on chosen.name = fe.feature_name
        where fe.environment = ${environment} order by fe.feature_name`,
    ),
    part(
      'contextFields',
      sql`'name', c.name, 'description', c.description, 'stickiness', c.stickiness, 'sortOrder', c.sort_order,
        'legalValues', c.legal_values, 'project', c.project`,
      sql`context_fields c where c.name in (
          select item ->> 'contextName' from strategies cross join lateral json_array_elements(constraints) as item
          union
          select parameters ->> 'stickiness' from strategies
        ) order by c.name`,
    ),
    part(
      'featureTags',
      sql`'featureName', t.feature_name, 'tagType', t.type, 'tagValue', t.value`,
      sql`feature_tags t join chosen on chosen.name = t.feature_name order by t.feature_name, t.type, t.value`,
    ),
    part(
      'segments',
      sql`'id', segment.id, 'name', segment.name`,
      sql`segments segment where segment.id in (
          select use.segment_id from strategy_segments use join strategies on strategies.id = use.strategy_id
        ) order by segment.id`,
    ),
    part(
      'tagTypes',
      sql`'name', type.name, 'description', type.description, 'icon', type.icon, 'color', type.color`,
      sql`tag_types type where type.name in (
          select t.type from feature_tags t join chosen on chosen.name = t.feature_name
        ) order by type.name`,
    ),
    part(
      'dependencies',
      sql`'feature', d.child, 'dependencies',
        json_agg(${dependencyJson} order by d.parent)`,
      sql`feature_dependencies d join chosen on chosen.name = d.child group by d.child order by d.child`,
    ),
    part(
      'links',
      sql`'feature', l.feature_name, 'links',
        json_agg(json_build_object('id', l.id, 'url', l.url, 'title', l.title) order by l.created_at, l.id)`,
      sql`feature_links l join chosen on chosen.name = l.feature_name group by l.feature_name order by l.feature_name`,
    ),
  ];
}
