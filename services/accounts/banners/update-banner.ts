import type { RequestContext } from '@yardarm/shared/bus';
import type { Banner } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import type { AccountsResources } from '../resources.ts';
import { type BannerDefinition, bannerNotFound, bannerOrderingKey, isSameDefinition, toBanner } from './banner.ts';
import { lockBanner, updateBannerRow } from './banners.repo.ts';

export async function updateBanner(
  resources: AccountsResources,
  { id, ...definition }: BannerDefinition & { id: number },
  context: RequestContext,
): Promise<Banner> {
  return change(resources, id, definition, context);
}

export async function switchBanner(
  resources: AccountsResources,
  { id, enabled }: { id: number; enabled: boolean },
  context: RequestContext,
): Promise<Banner> {
  return change(resources, id, { enabled }, context);
}

async function change(
  { db }: AccountsResources,
  id: number,
  changes: Partial<BannerDefinition>,
  context: RequestContext,
): Promise<Banner> {
  return db.transaction(async (trx) => {
    const before = await lockBanner(trx, id);
    if (!before) throw bannerNotFound(id);
    const after = { ...before, ...changes };
    if (!isSameDefinition(before, changes)) {
      await updateBannerRow(trx, id, after);
      appendEvent(trx, {
        type: 'banner-updated',
        data: { ...toBanner(after) },
        preData: { ...toBanner(before) },
        orderingKey: bannerOrderingKey(id),
        ...eventOrigin(context),
      });
    }
    return toBanner(after);
  });
}
