import { type Kysely, sql } from '@yardarm/shared/db';

/**
 * The token with which an application was first reported, and whether it is one of frontends: a token has a share of
 * the room of its environment. Null for an application of an administrator, and for one that a gateway of the release
 * before reported.
 *
 * `application_events` counts the events that the reports of a token have made in a day, in UTC. 0 is no token. A token
 * is no foreign key, since accounts owns it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table applications add column token_id integer, add column is_frontend boolean not null default false
  `.execute(db);
  await sql`
    create table application_events (
      token_id integer not null,
      day date not null,
      events integer not null,
      constraint application_events_pkey primary key (token_id, day)
    )`.execute(db);
}
