import { type Kysely, lockAndCount, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { BannerDefinition, StoredBanner } from './banner.ts';

const columns = [
  ...(['id', 'message', 'enabled', 'variant', 'sticky', 'icon', 'link', 'link_text as linkText'] as const),
  ...(['dialog_title as dialogTitle', 'dialog', 'created_at as createdAt'] as const),
] as const;

/** The number of banners. Concurrent creations wait until the transaction ends. */
export function lockBannerCount(trx: Transaction<AccountsTables>): Promise<number> {
  return lockAndCount(trx, 'yardarm accounts: number of banners', sql`banners`);
}

export async function insertBanner(
  trx: Transaction<AccountsTables>,
  definition: BannerDefinition,
): Promise<StoredBanner> {
  return trx.insertInto('banners').values(columnsOf(definition)).returning(columns).executeTakeFirstOrThrow();
}

/** All banners, the oldest one first. */
export async function findBanners(db: Kysely<AccountsTables>): Promise<StoredBanner[]> {
  return db.selectFrom('banners').select(columns).orderBy('id').execute();
}

/** Locks the banner for a change or its deletion. */
export async function lockBanner(trx: Transaction<AccountsTables>, id: number): Promise<StoredBanner | undefined> {
  // The cast accepts any integer. One beyond the range of the column matches no row.
  const banner = trx.selectFrom('banners').select(columns).where('id', '=', sql<number>`${id}::bigint`);
  return banner.forUpdate().executeTakeFirst();
}

export async function updateBannerRow(
  trx: Transaction<AccountsTables>,
  id: number,
  definition: BannerDefinition,
): Promise<void> {
  await trx.updateTable('banners').set(columnsOf(definition)).where('id', '=', id).execute();
}

export async function deleteBannerRow(trx: Transaction<AccountsTables>, id: number): Promise<void> {
  await trx.deleteFrom('banners').where('id', '=', id).execute();
}

function columnsOf({ message, enabled, variant, sticky, icon, link, linkText, dialogTitle, dialog }: BannerDefinition) {
  const texts = { message, link_text: linkText, dialog_title: dialogTitle, dialog };
  return { ...texts, enabled, variant, sticky, icon, link };
}
