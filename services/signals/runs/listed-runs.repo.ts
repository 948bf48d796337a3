import { type Kysely, sql } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { ListedRun } from './run-text.ts';

/** One page of the runs of a set, newest first: those with ids below `beforeId`, or all when it is null. */
export async function listRuns(
  db: Kysely<SignalsTables>,
  page: { actionSetId: number; beforeId: number | null; skip: number; limit: number },
): Promise<ListedRun[]> {
  const { rows } = await sql<ListedRun & { tokenId: number | null; signalCreatedAt: Date; payload: string }>`
    with page as (
      select * from action_runs
      where action_set_id = ${page.actionSetId}::bigint
        and (${page.beforeId}::bigint is null or id < ${page.beforeId}::bigint)
      order by id desc limit ${page.limit} offset ${page.skip}
    )
    select r.id, r.action_set_id as "actionSetId", r.signal_id as "signalId", r.created_at as "createdAt", r.state,
      r.action_set as "actionSet", r.endpoint_id as "endpointId", s.token_id as "tokenId",
      s.created_at as "signalCreatedAt", s.payload, (
        select json_agg(json_build_object('state', t.state, 'details', t.details) order by t.position)
        from run_steps t where t.run_id = r.id) as steps
    from page r left join signals s on s.id = r.signal_id
    order by r.id desc`.execute(db);
  return rows.map(({ tokenId, signalCreatedAt, payload, ...run }) => ({
    ...run,
    signal: tokenId === null ? null : { tokenId, createdAt: signalCreatedAt, payload },
  }));
}
