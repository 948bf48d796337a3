import type { RequestContext } from '@yardarm/shared/bus';
import type { Banner } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { bannerNotFound, bannerOrderingKey, toBanner } from './banner.ts';
import { deleteBannerRow, findBanners, lockBanner } from './banners.repo.ts';

export async function listBanners({ db }: AccountsResources): Promise<{ banners: Banner[] }> {
  return { banners: (await findBanners(db.kysely)).map(toBanner) };
}

export async function deleteBanner(
  { db }: AccountsResources,
  { id }: { id: number },
  context: RequestContext,
): Promise<void> {
  await db.transaction(async (trx) => {
    const banner = await lockBanner(trx, id);
    if (!banner) throw bannerNotFound(id);
    await deleteBannerRow(trx, id);
    const event = { preData: { ...toBanner(banner) }, orderingKey: bannerOrderingKey(id) };
    appendEvent(trx, { type: 'banner-deleted', ...event, ...eventOrigin(context) });
  });
}
