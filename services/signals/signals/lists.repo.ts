import type { FoundSignal } from '@yardarm/shared/contracts/signals';
import {
  type Database,
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  type StatementLimit,
  sql,
  withinLimit,
} from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { SignalsTables } from '../db/schema.ts';
import type { PayloadSearch } from './payload-search.ts';

/** A signal matches when every filter does. The days are those of createdAt, in UTC. */
export interface SignalFilters {
  endpointId?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
  payload?: PayloadSearch | undefined;
  /** Whether an action set ran for it. */
  hasRuns?: boolean | undefined;
}

/** What of a signal is read beside its own facts. */
export interface ShownParts {
  withPayloads: boolean;
  withRuns: boolean;
}

export interface ListedSignal {
  id: number;
  endpointId: number;
  /** Null and null when the endpoint was deleted. */
  endpointName: string | null;
  endpointDescription: string | null;
  /** Null when the token was deleted. */
  tokenName: string | null;
  /** Null when the payload was not asked for. */
  payload: string | null;
  createdAt: string;
  /** In their order; null when they were not asked for. */
  runs: RunOfSignal[] | null;
}

type RunOfSignal = NonNullable<FoundSignal['runs']>[number];

/**
 * A tenth of this is enough for a page of a million signals. A caller waits 10 s for the whole list. A longer search
 * would occupy a connection of ten that admissions also need.
 */
export const pageLimitMs = 3_000;
const pageLimit: StatementLimit = {
  limitMs: pageLimitMs,
  lockLimitMs: 2_000,
  tooLong: (seconds) =>
    new AppError(
      'bad-data',
      `Finding these signals takes longer than ${seconds} seconds. Name fewer days with from and to, or a smaller offset.`,
    ),
};

/** The ids of a page, newest first. Throws `bad-data` when the page takes too long to find. */
export async function findSignalIds(
  db: Database<SignalsTables>,
  filters: SignalFilters,
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  // Selects ids only. The indexes contain them, so that the offset skips no rows but entries of an index.
  const rows = await withinLimit(db, pageLimit, (trx) =>
    trx
      .selectFrom('signals')
      .select('id')
      .where((builder) => matches(builder, filters))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute(),
  );
  return rows.map(({ id }) => id);
}

/** How many signals match, at most `upTo`. Throws `bad-data` when the count takes too long. */
export async function countSignalRows(
  db: Database<SignalsTables>,
  filters: SignalFilters,
  upTo: number,
): Promise<number> {
  const { count } = await withinLimit(db, pageLimit, (trx) =>
    trx
      .selectFrom((from) =>
        from
          .selectFrom('signals')
          .select('id')
          .where((builder) => matches(builder, filters))
          .limit(upTo)
          .as('counted'),
      )
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  );
  return count;
}

export async function findSignalsByIds(
  db: Kysely<SignalsTables>,
  ids: readonly number[],
  { withPayloads, withRuns }: ShownParts,
): Promise<ListedSignal[]> {
  const { rows } = await sql<Omit<ListedSignal, 'createdAt'> & { createdAt: Date }>`
    select signals.id, signals.endpoint_id as "endpointId", signals.created_at as "createdAt",
      case when ${withPayloads}::boolean then signals.payload end as payload,
      signal_endpoint_tokens.name as "tokenName",
      signal_endpoints.name as "endpointName", signal_endpoints.description as "endpointDescription",
      case when ${withRuns}::boolean then (
        select coalesce(json_agg(json_build_object(
          'id', r.id, 'actionSetId', r.action_set_id, 'actionSetName', s.name, 'project', s.project,
          'state', case r.state when 'waiting' then 'started' else r.state end) order by r.id), '[]')
        from action_runs r left join action_sets s on s.id = r.action_set_id
        where r.signal_id = signals.id) end as runs
    from signals
      left join signal_endpoint_tokens on signal_endpoint_tokens.id = signals.token_id
      left join signal_endpoints on signal_endpoints.id = signals.endpoint_id
    where signals.id = any(${[...ids]}::bigint[])
    order by signals.created_at desc, signals.id desc`.execute(db);
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}

function matches(
  builder: ExpressionBuilder<SignalsTables, 'signals'>,
  { endpointId, from, to, payload, hasRuns }: SignalFilters,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [];
  if (endpointId !== undefined) conditions.push(builder('endpoint_id', '=', endpointId));
  if (from !== undefined) conditions.push(sql`created_at >= ${from}::date::timestamp at time zone 'UTC'`);
  if (to !== undefined) conditions.push(sql`created_at < (${to}::date + 1)::timestamp at time zone 'UTC'`);
  if (payload !== undefined) {
    const { path, values, within } = payload;
    conditions.push(builder.or(within.map((document) => sql<SqlBool>`payload_json @> ${document}::jsonb`)));
    conditions.push(sql`payload_json #> ${[...path]}::text[] = any(${[...values]}::text[]::jsonb[])`);
  }
  if (hasRuns !== undefined) {
    const ran = sql<SqlBool>`exists (select from action_runs where action_runs.signal_id = signals.id)`;
    conditions.push(hasRuns ? ran : builder.not(ran));
  }
  return builder.and(conditions);
}
