import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * What a flag had in an environment that its project removed, until the project adds it again. No reader of flags sees
 * it. The strategies have the ids of their segments, which are no foreign keys: a segment may be deleted meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table hidden_feature_environments (
      feature_name text collate "C" not null,
      environment text not null,
      variants json not null,
      strategies json not null,
      constraint hidden_feature_environments_pkey primary key (feature_name, environment),
      constraint hidden_feature_environments_feature_fkey foreign key (feature_name)
        references features (name) on update cascade on delete cascade,
      constraint hidden_feature_environments_environment_fkey foreign key (environment)
        references environments (name) on delete cascade
    )`.execute(db);
  // For the deletion of an environment.
  await sql`
    create index hidden_feature_environments_environment_idx on hidden_feature_environments (environment)`.execute(db);
}
