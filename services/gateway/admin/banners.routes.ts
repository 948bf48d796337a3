import type { Bus } from '@yardarm/shared/bus';
import {
  createBanner,
  deleteBanner,
  listBanners,
  switchBanner,
  updateBanner,
} from '@yardarm/shared/contracts/accounts';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const path = '/api/admin/banners';

export function bannerRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Banners', params: { id: { noun: 'banner' } } });
  return [
    admin.get(path, 'getBanners', listBanners, { answerName: 'bannersSchema' }),
    admin.post(path, 'createBanner', createBanner, { creates: 'banner' }),
    admin.put(`${path}/:id`, 'updateBanner', updateBanner, { bodyName: 'createBannerSchema' }),
    admin.delete(`${path}/:id`, 'deleteBanner', deleteBanner),
    admin.post(`${path}/:id/on`, 'enableBanner', switchBanner, { fixed: { enabled: true } }),
    admin.post(`${path}/:id/off`, 'disableBanner', switchBanner, { fixed: { enabled: false } }),
  ];
}
