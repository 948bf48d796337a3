import { type IntegrationEvent, maxCounted } from '@yardarm/shared/contracts/integrations';
import { type Kysely, sql } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Circuit } from '../deliveries/circuit.ts';

export interface StoredState extends Circuit {
  integrationId: number;
  waiting: number;
  /** When the first delivery that waits is due, whatever the circuit says. */
  dueAt: Date | null;
  /** Null before the first outcome, as the two others. */
  outcomeId: string | null;
  outcome: IntegrationEvent['state'] | null;
  outcomeCreatedAt: Date | null;
}

/** Each part reads the beginning or the end of one partial index. */
export async function findStates(db: Kysely<IntegrationsTables>): Promise<StoredState[]> {
  return (await statesStatement.execute(db)).rows;
}

export const statesStatement = sql<StoredState>`
  select i.id as "integrationId", failures, failing_since as "failingSince", paused_until as "pausedUntil",
    least(untried.count + retried.count, ${maxCounted}::integer) as waiting, due.at as "dueAt",
    newest.outcome_id::text as "outcomeId", newest.outcome, newest.outcome_created_at as "outcomeCreatedAt"
  from integrations i
  cross join lateral (
    select count(*) from (
      select from deliveries where integration_id = i.id and is_unfinished and outcome_id is null
      limit ${maxCounted}::integer) as counted) as untried
  cross join lateral (
    select count(*) from (
      select from deliveries where integration_id = i.id and is_unfinished and outcome_id is not null
      limit ${maxCounted}::integer) as counted) as retried
  cross join lateral (
    select min(at) as at from (
      (select next_attempt_at as at from deliveries
        where integration_id = i.id and is_unfinished and outcome_id is null and state = 'pending'
        order by event_id limit 1)
      union all
      (select next_attempt_at from deliveries
        where integration_id = i.id and is_unfinished and outcome_id is not null and state = 'waiting'
        order by next_attempt_at, event_id limit 1)) as firsts) as due
  left join lateral (
    select outcome_id, outcome, outcome_created_at from deliveries
    where integration_id = i.id and position is not null
    order by position desc limit 1) as newest on true
  where i.deleted_at is null
  order by i.id`;
