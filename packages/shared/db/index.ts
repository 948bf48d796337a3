export {
  type ColumnType,
  CompiledQuery,
  type Expression,
  type ExpressionBuilder,
  type Generated,
  type GeneratedAlways,
  type Insertable,
  type JSONColumnType,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely';
export { createDatabase, type Database, type DatabaseOptions } from './database.ts';
export {
  checkViolation,
  connectionProblem,
  isForeignKeyViolation,
  isRefusedLogin,
  isRetryable,
  isStatementTimeout,
  isUnavailable,
  isUniqueViolation,
} from './failures.ts';
export { createInboxTables, firstTime } from './inbox.ts';
export { type Leader, type Leadership, runAsLeader } from './leadership.ts';
export { createLeaseTables, type Lease, LeaseLostError, type LeaseOptions, startLease } from './lease.ts';
export { lockAndCount, lockAndMeasure } from './lock-and-count.ts';
export { acceptsLogin } from './migrate/accepts-login.ts';
export { type AfterRestore, afterRestore, RestoreError } from './migrate/after-restore.ts';
export { ownerWarning } from './migrate/login-problem.ts';
export { type MigrateOptions, migrateAll, migrateOne, provisionAll, type ServiceRoles } from './migrate/migrate.ts';
export { MigrationError, type MigrationSet, type SchemaMigration as Migration } from './migrate/migration-set.ts';
export { schemaProblem } from './migrate/schema-state.ts';
export { type WaitOptions, waitForDatabase } from './migrate/wait-for-database.ts';
export {
  appendEvent,
  appendEvents,
  type EventRow,
  insertEventRows,
  maxRowsPerStatement,
  type NewEvent,
  toEventRow,
} from './outbox/append-event.ts';
export { type EventOrigin, eventOrigin, originOfEvent } from './outbox/event-origin.ts';
export { serveOutbox } from './outbox/publish-pending.ts';
export { type Relay, type RelayBus, type RelayOptions, startRelay } from './outbox/relay.ts';
export { replay } from './outbox/replay.ts';
export { createOutboxTables, publishOutboxAgain } from './outbox/tables.ts';
export { type PeriodicJobOptions, startPeriodicJob } from './periodic-job.ts';
export { lockTimeoutMs } from './pool.ts';
export { hidden, prepared } from './prepared.ts';
export { createRestoresTable, epochHeaders, findEpoch, inOwnEpoch, isOfEpoch, messageIdIn } from './restores.ts';
export { assignPosition, positionColumns } from './stream-position.ts';
export { findSystemId } from './system-id.ts';
export type { InboxTable, LeaseTable, OutboxStreamTable, OutboxTable, SharedTables } from './tables.ts';
export type { Transaction, TransactionOptions } from './transaction.ts';
export { json } from './values.ts';
export { type StatementLimit, withinLimit } from './within-limit.ts';
