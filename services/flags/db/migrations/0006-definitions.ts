import { type Kysely, sql } from '@yardarm/shared/db';

/** What flags refer to by name: context fields, tag types, tags and custom strategy types. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table context_fields (
      name text collate "C" not null,
      description text,
      stickiness boolean not null default false,
      sort_order integer not null default 10,
      legal_values json not null default '[]',
      project text,
      created_at timestamptz not null default now(),
      constraint context_fields_pkey primary key (name),
      constraint context_fields_project_fkey foreign key (project) references projects (id) on delete cascade
    )`.execute(db);
  await sql`create index context_fields_project_idx on context_fields (project)`.execute(db);
  await sql`
    insert into context_fields (name, description, stickiness, sort_order)
    values
      ('environment', 'The environment that the application runs in', false, 0),
      ('userId', 'The id of the user', true, 1),
      ('appName', 'The name of the application', true, 2),
      ('sessionId', 'The id of the session, for users without an id', true, 3),
      ('currentTime', 'The time of the evaluation', false, 4)`.execute(db);
  await sql`
    create table tag_types (
      name text collate "C" not null,
      description text,
      icon text,
      color text,
      created_at timestamptz not null default now(),
      constraint tag_types_pkey primary key (name)
    )`.execute(db);
  await sql`
    create table tags (
      type text collate "C" not null,
      value text not null,
      created_at timestamptz not null default now(),
      constraint tags_pkey primary key (type, value),
      constraint tags_type_fkey foreign key (type) references tag_types (name)
    )`.execute(db);
  await sql`insert into tag_types (name, description, icon) values ('simple', 'A label of your own', '#')`.execute(db);
  await sql`
    insert into tag_types (name, description)
    select distinct type, 'A type of tags that existed before types were stored' from feature_tags
    on conflict on constraint tag_types_pkey do nothing`.execute(db);
  await sql`insert into tags (type, value) select distinct type, value from feature_tags`.execute(db);
  await sql`
    alter table feature_tags
      add constraint feature_tags_tag_fkey foreign key (type, value) references tags (type, value)`.execute(db);
  await sql`create index feature_tags_tag_idx on feature_tags (type, value)`.execute(db);
  await sql`
    create table strategy_types (
      name text collate "C" not null,
      title text,
      description text,
      parameters json not null default '[]',
      deprecated boolean not null default false,
      created_at timestamptz not null default now(),
      constraint strategy_types_pkey primary key (name)
    )`.execute(db);
}
