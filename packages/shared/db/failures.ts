import pg from 'pg';
import { AppError } from '../errors/index.ts';

/** The SQLSTATE of an error that comes from Postgres. */
function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * SQLSTATEs that say "not now": 08* connection, 53* resources (too many clients, disk full), 57P* shutdown, crash,
 * cannot connect now, idle session; 25P03 idle in transaction for too long; 55P03 lock and 57014 statement timeout.
 */
const unavailableStates = /^(08...|53...|57P..|57014|55P03|25P03)$/;

const socketErrors = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
]);

/** What pg and pg-pool throw without a code, by their words. */
const driverMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after)|Postgres connection has been discarded|driver has already been destroyed/;

/** Whether the database could not be reached or had no room, as opposed to having refused what was asked of it. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (error instanceof pg.DatabaseError) return unavailableStates.test(error.code ?? '');
  return (
    error instanceof Error &&
    (socketErrors.has((error as NodeJS.ErrnoException).code ?? '') || driverMessages.test(error.message))
  );
}

/** Makes AppError 'unavailable' of a failure of the way to the database; gives any other error back as it is. */
export function translated(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  // One second: a pool reconnects at once, and a Postgres that restarts takes calls again within seconds.
  return new AppError('unavailable', 'The database cannot be reached at the moment', {
    retryAfterSeconds: 1,
    cause: error,
  });
}

/** Whether a prepared statement was refused because what it answers has other columns since: a migration came meanwhile. */
export function isStalePlan(error: unknown): boolean {
  return stateOf(error) === '0A000' && /cached plan must not change result type/.test((error as Error).message);
}

/** Whether two transactions collided, or a table has changed, so that doing this one again, from its beginning, makes sense. */
export function isRetryable(error: unknown): boolean {
  const code = stateOf(error);
  return code === '40001' || code === '40P01' || isStalePlan(error);
}

/** Whether a row was refused because another has the same key; of the constraint or unique index named, if one is. */
export function isUniqueViolation(error: unknown, constraintName?: string): boolean {
  return isViolation(error, '23505', constraintName);
}

/** Whether a row was refused because what it points to is not there, or is still pointed to. */
export function isForeignKeyViolation(error: unknown, constraintName?: string): boolean {
  return isViolation(error, '23503', constraintName);
}

function isViolation(error: unknown, state: string, constraintName: string | undefined): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== state) return false;
  return constraintName === undefined || error.constraint === constraintName;
}

/** Whether it is an answer of Postgres, translated or not. */
export function isRefused(error: unknown): boolean {
  return (error instanceof AppError ? error.cause : error) instanceof pg.DatabaseError;
}

/** Whether a statement was refused because one before it in its transaction has failed: it says nothing of why. */
export function isAborted(error: unknown): boolean {
  return stateOf(error) === '25P02';
}

/** Whether a translated failure is one of the way to the database, and no answer of ours. */
export function isLost(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable' && isUnavailable(error.cause);
}

/** Whether a translated failure came before anything was sent: in pg's words, the connection was known to be lost. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof AppError && /not queryable/.test(String((error.cause as Error | undefined)?.message));
}
