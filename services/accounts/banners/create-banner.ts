import type { RequestContext } from '@yardarm/shared/bus';
import type { Banner } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { type BannerDefinition, bannerOrderingKey, requireBelowBannerLimit, toBanner } from './banner.ts';
import { insertBanner, lockBannerCount } from './banners.repo.ts';

/** Concurrent creations wait for each other, so that together they cannot exceed the limit. */
export async function createBanner(
  { db }: AccountsResources,
  definition: BannerDefinition,
  context: RequestContext,
): Promise<Banner> {
  return db.transaction(async (trx) => {
    requireBelowBannerLimit(await lockBannerCount(trx));
    const banner = toBanner(await insertBanner(trx, definition));
    const event = { data: { ...banner }, orderingKey: bannerOrderingKey(banner.id) };
    appendEvent(trx, { type: 'banner-created', ...event, ...eventOrigin(context) });
    return banner;
  });
}
