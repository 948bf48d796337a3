import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { SettingContents, SettingName, StoredSettings } from './setting.ts';

export async function findSettings(db: Kysely<AccountsTables>): Promise<StoredSettings> {
  const rows = await db.selectFrom('settings').select(['name', 'content']).execute();
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]));
}

/** Locks the row of the setting, which is made if there is none, and returns its content. */
export async function lockSetting<Name extends SettingName>(
  trx: Transaction<AccountsTables>,
  name: Name,
): Promise<SettingContents[Name] | null> {
  await trx
    .insertInto('settings')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await trx
    .selectFrom('settings')
    .select('content')
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return row.content as SettingContents[Name] | null;
}

export async function updateSetting<Name extends SettingName>(
  trx: Transaction<AccountsTables>,
  name: Name,
  content: SettingContents[Name] | null,
  changedBy: number,
): Promise<void> {
  await sql`
    update settings
    set content = ${content === null ? null : JSON.stringify(content)}::jsonb,
      revision = revision + 1, changed_at = now(), changed_by = ${changedBy}
    where name = ${name}`.execute(trx);
}
