import { sql } from '@yardarm/shared/db';
import { openAsOwner } from '../system/databases.repo.ts';

export interface StatementWork {
  /** The role that sends it. */
  login: string;
  /** The beginning of its text. Postgres 18 drops the comment before it, which has the name of a prepared one. */
  text: string;
  calls: number;
  ms: number;
  walBytes: number;
}

/** Row versions of a table. An update is HOT when it writes no index. */
export interface TableWork {
  table: string;
  inserted: number;
  updated: number;
  hot: number;
  deleted: number;
}

/** Counters of Postgres since its start. */
export interface DatabaseCounters {
  walBytes: number;
  walRecords: number;
  tables: TableWork[];
}

/** Enough to find a statement in the code. */
const shownCharacters = 100;

export interface WorkOfDatabase {
  reset(): Promise<void>;
  /** The statements since `reset`, the most expensive first. */
  statements(): Promise<StatementWork[]>;
  counters(): Promise<DatabaseCounters>;
  close(): Promise<void>;
}

/** Reads the statistics of a Postgres that was started with `pg_stat_statements`. */
export async function openWork(databaseUrl: string): Promise<WorkOfDatabase> {
  // Everything that it reads is in the schema of Postgres itself. The name of a service is that of its search path.
  const db = openAsOwner(databaseUrl, 'flags');
  await sql`create extension if not exists pg_stat_statements schema public`.execute(db.kysely);
  return {
    async reset() {
      await sql`select public.pg_stat_statements_reset()`.execute(db.kysely);
    },
    async statements() {
      const { rows } = await sql<StatementWork>`
        select rolname as login, sum(calls)::float8 as calls, sum(total_exec_time + total_plan_time) as ms,
          sum(wal_bytes)::float8 as "walBytes",
          left(regexp_replace(query, '\\s+', ' ', 'g'), ${shownCharacters}::int) as text
        from public.pg_stat_statements join pg_roles on pg_roles.oid = userid
        where dbid = (select oid from pg_database where datname = current_database()) and query !~ 'pg_stat_'
        group by rolname, text order by ms desc`.execute(db.kysely);
      return rows;
    },
    async counters() {
      const wal = await sql<{ walBytes: number; walRecords: number }>`
        select wal_bytes::float8 as "walBytes", wal_records::float8 as "walRecords" from pg_stat_wal`.execute(
        db.kysely,
      );
      const tables = await sql<TableWork>`
        select schemaname || '.' || relname as table, n_tup_ins::float8 as inserted, n_tup_upd::float8 as updated,
          n_tup_hot_upd::float8 as hot, n_tup_del::float8 as deleted
        from pg_stat_user_tables`.execute(db.kysely);
      return { ...wal.rows[0]!, tables: tables.rows };
    },
    close: () => db.close(),
  };
}
