import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { StoredLink } from './link.ts';

// The caller has locked the flag's row.

/** The links of a flag, the oldest first. */
export async function findLinks(trx: Transaction<FlagsTables>, featureName: string): Promise<StoredLink[]> {
  return await trx
    .selectFrom('feature_links')
    .select(['id', 'url', 'title'])
    .where('feature_name', '=', featureName)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function insertLink(
  trx: Transaction<FlagsTables>,
  featureName: string,
  { url, title }: { url: string; title: string | null },
): Promise<void> {
  await trx.insertInto('feature_links').values({ feature_name: featureName, url, title }).execute();
}

export async function updateLinkRow(trx: Transaction<FlagsTables>, { id, url, title }: StoredLink): Promise<void> {
  await sql`update feature_links set url = ${url}, title = ${title} where id = ${id}`.execute(trx);
}

export async function deleteLinkRow(trx: Transaction<FlagsTables>, id: string): Promise<void> {
  await trx.deleteFrom('feature_links').where('id', '=', id).execute();
}
