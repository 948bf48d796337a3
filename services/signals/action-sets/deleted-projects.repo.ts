import type { Incarnation } from '@yardarm/shared/contracts/flags';
import { sql, type Transaction } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';

type Project = Pick<Incarnation, 'id' | 'createdAt'>;

/** Notes that a project is deleted, for a day: a creation of a set asks flags and commits within seconds. */
export async function insertDeletedProject(trx: Transaction<SignalsTables>, { id, createdAt }: Project): Promise<void> {
  await sql`delete from deleted_projects where deleted_at < now() - interval '1 day'`.execute(trx);
  await sql`
    insert into deleted_projects as known (project, created_at) values (${id}, ${createdAt})
    on conflict on constraint deleted_projects_pkey do update set
      created_at = greatest(known.created_at, excluded.created_at), deleted_at = now()`.execute(trx);
}

/** Whether a project, which flags knew a moment ago, is deleted since. */
export async function isDeletedProject(trx: Transaction<SignalsTables>, { id, createdAt }: Project): Promise<boolean> {
  const { rows } = await sql`
    select 1 from deleted_projects where project = ${id} and created_at >= ${createdAt}::timestamptz`.execute(trx);
  return rows.length > 0;
}
