import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import type { LoginChoice } from '../config/index.ts';
import { processIdOfPg, socketOfPg } from '../internals/index.ts';
import type { Logger } from '../log/index.ts';
import { gatherWrites } from '../sockets/gather-writes.ts';
import { tracer } from '../telemetry/index.ts';
import {
  isBusyPool,
  isFromPostgres,
  isReadOnlyRefusal,
  isRefusedLogin,
  isServerGone,
  isStalePlan,
  isUnavailable,
  translateError,
} from './failures.ts';
import { Hosts } from './hosts.ts';
import { clientWith, withEachLogin } from './login-client.ts';
import type { LoginState } from './login-state.ts';
import { measurePool } from './pool-metrics.ts';
import { PreparedNames } from './prepared.ts';
import { traceStatement } from './trace-statement.ts';
import { tryConnection } from './try-connection.ts';
import { encodeValues, valueTypes } from './values.ts';
import { answersReadOnly, isPoolerRefusal, PoolerError, requireWritable, whetherReadOnly } from './writable.ts';

export interface PoolOptions {
  choice: LoginChoice;
  schema: string;
  log: Logger;
  login: LoginState;
  maxConnections: number;
  applicationName: string;
}

/** A stuck statement occupies one of ten connections. No statement of ours takes 10 s, and no caller waits as long. */
const statementTimeoutMs = 10_000;
/**
 * As long as a request may take by default, so that none fails by this limit before its own deadline. A transaction on
 * thousands of flags holds their rows for seconds on a busy machine.
 */
export const lockTimeoutMs = statementTimeoutMs;
/** Between two statements a transaction only computes and makes no calls. 10 s idle is a leak or a paused process. */
const idleInTransactionTimeoutMs = 10_000;
/** To connect or to wait for a free connection. Below a request's deadline, so that the caller gets 503 and not 504. */
const connectTimeoutMs = 3_000;
/** A server that has vanished ends no statement. This process ends it when the server would have. */
const answerTimeoutMs = statementTimeoutMs + connectTimeoutMs;
/** Half a minute outlasts the pauses of ordinary traffic. */
const idleMs = 30_000;
/**
 * How long the plans of prepared statements are used. A plan made while a table was small reads the whole table.
 * Postgres plans again when it has renewed the table's statistics, about a minute later. Until then a table can have
 * grown by tens of thousands of rows. In five seconds it grows by so few that reading them all is fast.
 */
const planAgeMs = 5_000;

/** The connections of one service. Failures to reach the database become AppError 'unavailable'. */
export function createPool(options: PoolOptions): PostgresPool {
  // These throw now and not at the first connection, which the pool opens later.
  const probe = new pg.Client();
  socketOfPg(probe);
  processIdOfPg(probe);
  const hosts = new Hosts();
  const pool = new pg.Pool({
    Client: clientWith(options.choice, hosts),
    onConnect: requireWritable,
    max: options.maxConnections,
    types: valueTypes,
    application_name: options.applicationName,
    // The role has the same search_path as a setting, but a database cloned from a template lacks that setting.
    // Statements over 100,000 flags take tenths of a second. Their estimated costs are so high that Postgres would
    // compile them for each execution, which takes another 30 to 130 ms. Parallel workers would take the processor from
    // the statements of others.
    options: `-c search_path=${options.schema} -c jit=off -c max_parallel_workers_per_gather=0`,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
    // Statements are sent at once. None waits for the answer to the previous one.
    pipeline: true,
    idleTimeoutMillis: idleMs,
  });
  // The pool drops an idle connection that breaks. The next statement opens another.
  pool.on('error', (error) => options.log.debug({ err: error }, 'an idle database connection broke'));
  const endMeasurement = measurePool(pool);
  const names = new PreparedNames();
  pool.on('connect', (client) => {
    options.login.onConnected();
    wrapQuery(client, names, options.schema);
  });
  const plannedAt = new WeakMap<pg.PoolClient, number>();
  const renewPlans = (client: pg.PoolClient): void => {
    const now = performance.now();
    if (now - (plannedAt.get(client) ?? Number.NEGATIVE_INFINITY) < planAgeMs) return;
    plannedAt.set(client, now);
    // Pipelined before the next statement. On a broken connection that statement reports the error.
    client.query('discard plans').catch(() => {});
  };
  return {
    options: pool.options,
    async end() {
      endMeasurement();
      await pool.end();
    },
    async connect() {
      try {
        const client = await withEachLogin(options.choice, () => connectInTurn(pool, hosts));
        renewPlans(client);
        // Kysely's type has fewer members than pg's.
        return client as unknown as Awaited<ReturnType<PostgresPool['connect']>>;
      } catch (error) {
        options.login.onFailure(error);
        throw translateError(error);
      }
    },
  };
}

/**
 * Tries the hosts in turn, each once, within the time of one connection: a host that is away and does not refuse takes
 * all of it, and the next caller begins with the next host. A refused login is the same everywhere. Throws the driver's
 * error, or PoolerError.
 */
async function connectInTurn(pool: pg.Pool, hosts: Hosts): Promise<pg.PoolClient> {
  const end = performance.now() + connectTimeoutMs;
  /** What Postgres itself says is more than that a host is away, or a standby. */
  let reason: unknown;
  for (let tries = 1; ; tries += 1) {
    const { turn } = hosts;
    try {
      return await pool.connect();
    } catch (error) {
      if (isPoolerRefusal(error)) throw new PoolerError();
      if (isRefusedLogin(error)) throw error;
      if (isFromPostgres(error)) reason ??= error;
      if (isUnavailable(error) && !isBusyPool(error)) hosts.failed(turn);
      if (tries < hosts.count && performance.now() < end && hosts.turn !== turn) continue;
      throw reason ?? error;
    }
  }
}

/** Opens a connection of its own and closes it. Throws AppError 'unavailable' when Postgres refuses the login. */
export async function tryLogin({ choice, login }: Pick<PoolOptions, 'choice' | 'login'>): Promise<void> {
  const open = async () => {
    const url = choice.current();
    await tryConnection(url, connectTimeoutMs).catch((error: unknown) => {
      if (isRefusedLogin(error)) choice.refuse(url);
      throw error;
    });
  };
  try {
    await withEachLogin(choice, open);
    login.onConnected();
  } catch (error) {
    login.onFailure(error);
    throw translateError(error);
  }
}

function wrapQuery(client: pg.PoolClient, names: PreparedNames, schema: string): void {
  // A connection that breaks between two statements of a transaction emits 'error' on the client. Without a listener
  // the process would end. The next statement fails with the error.
  client.on('error', () => {});
  const stream = socketOfPg(client);
  gatherWrites(stream);
  const query = client.query.bind(client) as (statement: pg.QueryConfig) => Promise<unknown>;
  /** Of our own transaction, which refuses changes without being on a standby. */
  let isReadOnlyByUs = false;
  const runQuery = async (text: string, parameters: readonly unknown[] = []): Promise<unknown> => {
    const values = encodeValues(parameters);
    const name = names.nameOf(text);
    if (/^(begin|commit|rollback)/.test(text)) isReadOnlyByUs = text.endsWith('read only');
    const isSingle = client.getTransactionStatus() === 'I';
    try {
      const result = await query({ text, values, ...(name && { name }) });
      // The next caller gets another connection.
      if (text === whetherReadOnly && answersReadOnly(result)) await destroy(stream);
      return result;
    } catch (error) {
      if (isStalePlan(error)) {
        names.renew();
        // A transaction runs again as a whole: a statement sent again now would be executed after its end.
        if (isSingle) return await runQuery(text, parameters);
        throw error;
      }
      if (isReadOnlyRefusal(error) && isReadOnlyByUs) throw error;
      // The statement may still occupy the connection, and the next one would wait for it. A server that was demoted or
      // stops would refuse the next one too.
      if (isServerGone(error) || (error instanceof Error && error.message === noAnswerMessage)) await destroy(stream);
      throw translateError(error);
    }
  };
  const database = client.database ?? '';
  Object.assign(client, {
    query: (text: string, parameters?: readonly unknown[]) =>
      tracer === null
        ? runQuery(text, parameters)
        : traceStatement(tracer, { database, schema, text }, () => runQuery(text, parameters)),
  });
}

/** pg's message for a statement without an answer. */
const noAnswerMessage = 'Query read timeout';

/** Resolves when the client has noticed, so that the pool does not hand it out again. */
async function destroy(stream: Socket): Promise<void> {
  if (stream.closed) return;
  const closed = once(stream, 'close');
  stream.destroy();
  await closed;
}
