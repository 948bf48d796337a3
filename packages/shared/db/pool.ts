import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import type { Logger } from '../log/index.ts';
import { gatherWrites } from '../sockets/gather-writes.ts';
import { isStalePlan, translated } from './failures.ts';
import { createPreparedNames, isPlannedForValues, type PreparedNames } from './prepared.ts';
import { encodeValues, valueTypes } from './values.ts';

export interface PoolOptions {
  url: string;
  schema: string;
  log: Logger;
  maxConnections: number;
  applicationName: string;
}

/** A stuck statement holds one of ten connections: 10 s is longer than any of ours and than any caller waits. */
const statementTimeoutMs = 10_000;
/** Waiting longer for a row means that its holder is stuck: give the connection back and let the caller try again. */
const lockTimeoutMs = 5_000;
/** Between two statements of a transaction is computing only, no call: 10 s idle is a leak or a paused process. */
const idleInTransactionTimeoutMs = 10_000;
/** To connect, or to wait for a free connection: below a request's deadline, so that it ends as 503 and not as 504. */
const connectTimeoutMs = 3_000;
/** A server that is gone without a word ends no statement; then this process does, once the server would have. */
const silenceMs = statementTimeoutMs + connectTimeoutMs;
/** Idle connections are given back after half a minute, which outlasts the pauses of ordinary traffic. */
const idleMs = 30_000;
/**
 * A plan made while a table was small reads all of it. Postgres makes plans anew when it has renewed the table's statistics, which it does
 * a minute after; until then a table can have grown by tens of thousands of rows. In five seconds it grows by as many as are read in no time.
 */
const planAgeMs = 5_000;

/** Postgres's names. Left to itself it weighs one against the other, and plans our larger statements each time for longer than it carries them out. */
const keptPlans = 'force_generic_plan';
const plansForValues = 'force_custom_plan';

/** The connections of one service. What goes wrong on the way to the database is AppError 'unavailable'. */
export function createPool(options: PoolOptions): PostgresPool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    types: valueTypes,
    application_name: options.applicationName,
    // The role's own search_path says the same, but a database cloned from a template does not have that setting.
    options: `-c search_path=${options.schema} -c plan_cache_mode=${keptPlans}`,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: silenceMs,
    keepAlive: true,
    // Statements are sent as they are asked for, none waits for the answer to the one before.
    pipeline: true,
    idleTimeoutMillis: idleMs,
  });
  // An idle connection that breaks is dropped by the pool, and the next statement opens another.
  pool.on('error', (error) => options.log.debug({ err: error }, 'an idle database connection broke'));
  const names = createPreparedNames();
  pool.on('connect', (client) => prepare(client, names));
  const plannedAt = new WeakMap<pg.PoolClient, number>();
  const renewPlans = (client: pg.PoolClient): void => {
    const now = performance.now();
    if (now - (plannedAt.get(client) ?? Number.NEGATIVE_INFINITY) < planAgeMs) return;
    plannedAt.set(client, now);
    // Goes ahead of the next statement, which fails too when the connection is broken, and says so.
    client.query('discard plans').catch(() => {});
  };
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      try {
        const client = await pool.connect();
        renewPlans(client);
        // Kysely asks for less than a client can do.
        return client as unknown as Awaited<ReturnType<PostgresPool['connect']>>;
      } catch (error) {
        throw translated(error);
      }
    },
  };
}

function prepare(client: pg.PoolClient, names: PreparedNames): void {
  // A connection that breaks between two statements of a transaction tells the client alone, and unheard that ends the
  // process. The next statement fails and says so.
  client.on('error', () => {});
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  gatherWrites(stream);
  const query = client.query.bind(client) as (statement: pg.QueryConfig) => Promise<unknown>;
  let isInTransaction = false;
  const translating = async (text: string, parameters: readonly unknown[] = []) => {
    const values = encodeValues(parameters);
    const isForValues = isPlannedForValues(text);
    const name = isForValues ? undefined : names.nameOf(text);
    if (/^(begin|commit|rollback)\b/.test(text)) isInTransaction = text.startsWith('begin');
    const isAlone = !isInTransaction;
    // Sent around it; what fails of it fails with the statement.
    const setPlans = (mode: string) => void query({ text: `set plan_cache_mode = ${mode}` }).catch(() => {});
    try {
      if (isForValues) setPlans(plansForValues);
      const answer = query({ text, values, ...(name && { name }) });
      if (isForValues) setPlans(keptPlans);
      return await answer;
    } catch (error) {
      if (isStalePlan(error)) {
        names.renew();
        // A transaction is over then, and done again as a whole: what came now would come behind its end.
        if (isAlone) return await query({ text, values });
        throw error;
      }
      // The statement may still stand on the connection, and would make the next one wait as well.
      if (error instanceof Error && error.message === silenceMessage) await cut(stream);
      throw translated(error);
    }
  };
  Object.assign(client, { query: translating });
}

/** pg's words for a statement without an answer. */
const silenceMessage = 'Query read timeout';

/** Resolves when the client knows, so that the pool does not hand it out again. */
async function cut(stream: Socket): Promise<void> {
  if (stream.closed) return;
  const closed = once(stream, 'close');
  stream.destroy();
  await closed;
}
