import { type Kysely, sql } from '@yardarm/shared/db';
import type { EventsTables } from '../db/schema.ts';

/**
 * It reads the switches and deletions of the project, which an index finds; a deletion has no environment. A flag that
 * was moved has those that it had in this project.
 */
export async function findFirstSwitches(
  db: Kysely<EventsTables>,
  { project, environments }: { project: string; environments: readonly string[] },
): Promise<{ featureName: string; createdAt: Date }[]> {
  const { rows } = await sql<{ featureName: string; createdAt: Date }>`
    with marked as (
      select feature_name, type, id, created_at,
        max(id) filter (where type = 'feature-deleted') over (partition by feature_name) as deleted_id
      from events
      where project = ${project} and type = any(array['feature-deleted', 'feature-environment-enabled'])
        and (environment is null or environment = any(${[...environments]}::text[]))
    )
    select feature_name as "featureName", min(created_at) as "createdAt"
    from marked where type = 'feature-environment-enabled' and id > coalesce(deleted_id, 0)
    group by feature_name`.execute(db);
  return rows;
}
