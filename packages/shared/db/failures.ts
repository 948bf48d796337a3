import pg from 'pg';
import { AppError } from '../errors/index.ts';
import { tlsProblemOf } from '../sockets/tls-problem.ts';
import { ReadOnlyServerError } from './writable.ts';

function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * SQLSTATEs of temporary conditions: 08* connection; 53* resources (too many clients, disk full); 57P* shutdown, crash,
 * cannot connect now, idle session; 25P03 idle in transaction timeout; 55P03 lock timeout; 57014 statement timeout;
 * 25006 a change on a server that takes none.
 */
const unavailableStates = /^(08...|53...|57P..|57014|55P03|25P03|25006)$/;

/** Of them, those after which another connection may lead to a server that works. */
const goneStates = /^(08...|57P0[1-5]|25006)$/;

/** SQLSTATEs of a refused login: the password is wrong; the user is unknown, may not log in or not from here. */
const refusedLoginStates = /^(28P01|28000)$/;

const socketErrors = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
]);

/** Messages of the errors that pg and pg-pool throw without a code. */
const driverMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after)|Postgres connection has been discarded|driver has already been destroyed|^The server does not support SSL connections/;

/** pg-pool's message when no connection has become free in time. That a connection failed has other messages. */
const busyMessage = 'timeout exceeded when trying to connect';

/** Whether all connections of the pool were in use. It says nothing of the server. */
export function isBusyPool(error: unknown): boolean {
  return error instanceof Error && error.message === busyMessage;
}

/** Whether Postgres refused the user or the password of a new connection, translated or not. */
export function isRefusedLogin(error: unknown): boolean {
  return refusedLoginStates.test(sqlStateOf(error instanceof AppError ? error.cause : error) ?? '');
}

/** Whether the server refused a change because it, or the transaction, takes none. */
export function isReadOnlyRefusal(error: unknown): boolean {
  return sqlStateOf(error) === '25006';
}

/** Whether the connection should not be used again: its server stops, or takes no changes. */
export function isServerGone(error: unknown): boolean {
  return goneStates.test(sqlStateOf(error) ?? '');
}

/** Why Postgres cannot be used, as a sentence for operators without values; null when it may just be away. */
export function connectionProblem(thrown: unknown): string | null {
  const error = thrown instanceof AppError ? thrown.cause : thrown;
  if (isRefusedLogin(error)) return 'Postgres refuses the login of this service';
  if (error instanceof ReadOnlyServerError || isReadOnlyRefusal(error))
    return 'Postgres takes no changes: no host of DATABASE_URL is a primary';
  const tls = tlsProblemOf(error);
  if (tls !== null) return `the certificate of Postgres ${tls}`;
  if (error instanceof Error && error.message.startsWith('The server does not support SSL'))
    return 'Postgres does not offer TLS, which DATABASE_URL asks for';
  return null;
}

/**
 * Whether the database could not be reached, refused the login or lacked resources. False when it refused the statement
 * itself.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (error instanceof pg.DatabaseError) return unavailableStates.test(error.code ?? '') || isRefusedLogin(error);
  if (error instanceof ReadOnlyServerError || tlsProblemOf(error) !== null) return true;
  return (
    error instanceof Error &&
    (socketErrors.has((error as NodeJS.ErrnoException).code ?? '') || driverMessages.test(error.message))
  );
}

/** Turns an error for which `isUnavailable` is true into AppError 'unavailable'. Returns other errors unchanged. */
export function translateError(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  // One second: the pool reconnects at once, and a restarting Postgres accepts connections within seconds.
  const message = isRefusedLogin(error)
    ? 'The database refuses the login of this service'
    : isReadOnlyRefusal(error) || error instanceof ReadOnlyServerError
      ? 'The database takes no changes now: it is a standby, or a failover is under way'
      : 'The database cannot be reached, or all connections to it are busy';
  return new AppError('unavailable', message, {
    retryAfterSeconds: 1,
    cause: error,
  });
}

/** Whether Postgres refused a prepared statement because a migration has changed the columns of its result. */
export function isStalePlan(error: unknown): boolean {
  return sqlStateOf(error) === '0A000' && /cached plan must not change result type/.test((error as Error).message);
}

/** Whether a transaction that runs again may succeed: it collided with another one, or a table has changed. */
export function isRetryable(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === '40001' || code === '40P01' || isStalePlan(error);
}

/** Whether another row has the same key, in the named constraint or unique index if a name is given. */
export function isUniqueViolation(error: unknown, constraintName?: string): boolean {
  return isViolation(error, '23505', constraintName);
}

/** Whether a referenced row is missing, or a row is still referenced. */
export function isForeignKeyViolation(error: unknown, constraintName?: string): boolean {
  return isViolation(error, '23503', constraintName);
}

/**
 * The check constraint that a statement has violated, with the values of its row as text, in the order of the columns.
 * Postgres shortens long values. Null for any other error.
 */
export function checkViolation(error: unknown): { constraint: string; row: string[] } | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23514') return null;
  // The words around the parentheses depend on the language of the server.
  const row = /\((.*)\)/s.exec(error.detail ?? '')?.[1] ?? '';
  return { constraint: error.constraint ?? '', row: row.split(', ') };
}

function isViolation(error: unknown, state: string, constraintName: string | undefined): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== state) return false;
  return constraintName === undefined || error.constraint === constraintName;
}

/** Whether the statement names a schema or table that does not exist, or that this login may not read. */
export function isMissing(error: unknown): boolean {
  return /^(42P01|3F000|42501)$/.test(sqlStateOf(error) ?? '');
}

/** Whether Postgres returned this error, translated or not. */
export function isFromPostgres(error: unknown): boolean {
  return (error instanceof AppError ? error.cause : error) instanceof pg.DatabaseError;
}

/** Whether Postgres ended a statement that exceeded its time, translated or not. */
export function isStatementTimeout(error: unknown): boolean {
  return sqlStateOf(error instanceof AppError ? error.cause : error) === '57014';
}

/** Whether Postgres refused a statement because an earlier one of the transaction failed. The error has no reason. */
export function isAborted(error: unknown): boolean {
  return sqlStateOf(error) === '25P02';
}

/** Whether a translated error comes from the database being unavailable. False for an AppError of our own code. */
export function isTranslatedUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable' && isUnavailable(error.cause);
}

/** Whether a translated error occurred before anything was sent: pg knew that the connection was lost. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof AppError && /not queryable/.test(String((error.cause as Error | undefined)?.message));
}
