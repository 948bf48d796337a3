// The applications that reports of usage make, within the room of their token. Reports run one after another.
import { prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import { replacedApplications } from '../metrics.ts';
import { ApplicationRoom, type Candidate, type TokenRoom } from './applications/room.ts';
import type { ReportedApplication, UsageBounds } from './usage.ts';

type Trx = Transaction<FlagsTables>;

export interface InsertedApplications {
  /** By name, with the token that has the room of it. */
  inserted: Map<string, Candidate>;
  /** The names for which there was no room. */
  excess: Set<string>;
}

/**
 * Inserts applications that are not known, within the bounds. An application is in the room of one environment and
 * token: those of client tokens come first, then the first environment by name that has room. One that exists needs no
 * room, whichever report made it. Unknown environments make none.
 *
 * Without room, the one that was seen the longest ago is replaced: of the token at its share, else of the environment.
 * One that was reported within the hour stays. So names that a token makes up replace no application that reports.
 */
export async function insertApplications(
  trx: Trx,
  applications: readonly ReportedApplication[],
  bounds: UsageBounds,
): Promise<InsertedApplications> {
  const candidates = await updateKnown(trx, applications);
  const inserted = new Map<string, Candidate>();
  const excess = new Set(candidates.map(({ name }) => name));
  if (candidates.length === 0) return { inserted, excess };
  const room = new ApplicationRoom(await findRooms(trx, candidates), bounds);
  const { placed, waiting } = room.place(candidates);
  for (const replaced of room.toReplace(waiting))
    for (const removed of await deleteLeastSeen(trx, replaced)) room.remove(removed);
  if (waiting.length > 0) placed.push(...room.place(waiting).placed);
  const names = await insertPlaced(trx, placed, applications);
  for (const candidate of placed) {
    excess.delete(candidate.name);
    // One that an administrator makes at the same time is neither: it exists.
    if (names.has(candidate.name)) inserted.set(candidate.name, candidate);
  }
  return { inserted, excess };
}

/**
 * Updates when applications were seen, to half an hour, so that one that reports is never the one to replace. Returns
 * those that do not exist.
 */
async function updateKnown(trx: Trx, applications: readonly ReportedApplication[]): Promise<Candidate[]> {
  const sent = applications.flatMap(({ name, reporters, registration }) =>
    [...reporters].map(([environment, reporter]) => ({
      ...{ name, environment, ...reporter, strategies: registration?.strategies ?? null },
    })),
  );
  const { rows } = await prepared('update-applications')<Candidate>`
    with sent as (
      select * from json_to_recordset(${JSON.stringify(sent)}::json) as sent (
        name text, environment text, "tokenId" integer, "isFrontend" boolean, strategies text[])
    ), updated as (
      update applications a set seen_at = now(), strategies = coalesce(sent.strategies, a.strategies)
      from (select distinct on (name) name, strategies from sent order by name) as sent
      where a.name = sent.name and (
        a.seen_at is null or a.seen_at < now() - interval '30 minutes' or a.strategies <> sent.strategies
      )
    )
    select sent.name, sent.environment, sent."tokenId", sent."isFrontend"
    from sent join environments e on e.name = sent.environment
    where not exists (select from applications a where a.name = sent.name)`.execute(trx);
  return rows;
}

async function findRooms(trx: Trx, candidates: readonly Candidate[]): Promise<TokenRoom[]> {
  const environments = [...new Set(candidates.map(({ environment }) => environment))];
  const { rows } = await prepared('find-application-rooms')<TokenRoom>`
    select environment, token_id as "tokenId", is_frontend as "isFrontend", count(*)::integer as size
    from applications where environment = any(${environments}::text[])
    group by environment, token_id, is_frontend`.execute(trx);
  return rows;
}

type Replaced = ReturnType<ApplicationRoom['toReplace']>[number];

/** Deletes applications without a description. Returns in which room each of them was. */
async function deleteLeastSeen(trx: Trx, { from, isOfToken, count }: Replaced): Promise<Omit<Candidate, 'name'>[]> {
  const { environment, tokenId, isFrontend } = from;
  const { rows } = await sql<Omit<Candidate, 'name'>>`
    delete from applications where name in (
      select name from applications
      where environment = ${environment} and is_frontend = ${isFrontend}
        and (not ${isOfToken} or token_id is not distinct from ${tokenId}::integer)
        and seen_at < now() - interval '1 hour' and coalesce(description, url, color, icon) is null
      order by seen_at, name limit ${count}
    )
    returning environment, token_id as "tokenId", is_frontend as "isFrontend"`.execute(trx);
  trx.onCommit(() => replacedApplications.inc(rows.length));
  return rows;
}

async function insertPlaced(
  trx: Trx,
  placed: readonly Candidate[],
  applications: readonly ReportedApplication[],
): Promise<Set<string>> {
  if (placed.length === 0) return new Set();
  const strategiesOf = new Map(applications.map(({ name, registration }) => [name, registration?.strategies ?? []]));
  const sent = placed.map((candidate) => ({ ...candidate, strategies: strategiesOf.get(candidate.name) }));
  const { rows } = await prepared('insert-applications')<{ name: string }>`
    insert into applications (name, strategies, seen_at, environment, token_id, is_frontend)
    select name, strategies, now(), environment, "tokenId", "isFrontend"
    from json_to_recordset(${JSON.stringify(sent)}::json) as sent (
      name text, environment text, "tokenId" integer, "isFrontend" boolean, strategies text[])
    order by name
    on conflict on constraint applications_pkey do nothing
    returning name`.execute(trx);
  return new Set(rows.map(({ name }) => name));
}
