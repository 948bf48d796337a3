import { type Database, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

const dayMs = 86_400_000;

/** Used by ten applications, they have 2,400 rows in a day. By a thousand, 240,000, which a second deletes. */
const flagsAtOnce = 10;

/**
 * Deletes the counts that the flags of a project have left in an environment in which they are no longer. They may be
 * millions, so a statement deletes those of a few flags in a day, which is a partition. No report adds to them. Returns
 * whether none are left: it ends at `until`.
 */
export async function deleteLeftUsage(
  db: Database<FlagsTables>,
  { project, environment, keptDays }: { project: string; environment: string; keptDays: number },
  until: number,
): Promise<boolean> {
  const now = Date.now();
  // The clock of another replica may have begun the next day.
  const last = now - (now % dayMs) + dayMs;
  for (let day = last; day >= last - (keptDays + 1) * dayMs; day -= dayMs) {
    const isOfDay = sql`environment = ${environment} and hour >= ${new Date(day)} and hour < ${new Date(day + dayMs)}`;
    const { rows } = await sql<{ name: string }>`
      select f.name from features f cross join lateral (
        select from feature_usage where feature_name = f.name and ${isOfDay} limit 1
      ) as used
      where f.project = ${project} and not exists (
        select from feature_environments where feature_name = f.name and environment = ${environment}
      )`.execute(db.kysely);
    for (let index = 0; index < rows.length; index += flagsAtOnce) {
      if (Date.now() >= until) return false;
      const names = rows.slice(index, index + flagsAtOnce).map(({ name }) => name);
      // Meanwhile the project may have the environment again, and reports of it.
      const deletion = sql`
        delete from feature_usage u
        where feature_name = any(${names}::text[]) and ${isOfDay} and not exists (
          select from feature_environments fe where fe.feature_name = u.feature_name and fe.environment = u.environment
        )`;
      // Another deletion of the same rows may be a deadlock, after which a transaction runs again.
      await db.transaction((trx) => deletion.execute(trx));
    }
  }
  return true;
}
