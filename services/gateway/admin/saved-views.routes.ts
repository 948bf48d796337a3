import type { Bus } from '@yardarm/shared/bus';
import { createSavedView, deleteSavedView, listSavedViews, updateSavedView } from '@yardarm/shared/contracts/accounts';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';

const path = '/api/admin/user/views';

export function savedViewRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Users', params: { id: { noun: 'saved view' } } });
  return [
    admin.get(path, 'getSavedViews', listSavedViews, { answerName: 'savedViewsSchema' }),
    admin.post(path, 'createSavedView', createSavedView, { creates: 'saved view' }),
    admin.put(`${path}/:id`, 'updateSavedView', updateSavedView, { bodyName: 'createSavedViewSchema' }),
    admin.delete(`${path}/:id`, 'deleteSavedView', deleteSavedView),
  ];
}
