import type { Bus } from '@yardarm/shared/bus';
import {
  createActionSet,
  deleteActionSet,
  describeActions,
  listActionRuns,
  listActionSets,
  switchActionSet,
  updateActionSet,
} from '@yardarm/shared/contracts/signals';
import { contractRoutes } from '../routing/contract-routes.ts';
import type { Route } from '../routing/route.ts';
import { pageQuery } from '../routing/wire.ts';
import { testActionsRoute } from './test-actions.ts';

const path = '/api/admin/projects/:projectId/actions';
const one = `${path}/:actionSetId`;

export function actionSetRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    audience: 'admin',
    tag: 'Actions',
    params: { actionSetId: { noun: 'action set' } },
  });
  return [
    admin.get(path, 'getActions', listActionSets, { answerName: 'actionsListSchema' }),
    admin.get(`${path}/config`, 'getActionsConfig', describeActions, { answerName: 'actionDefinitionsConfigSchema' }),
    admin.post(path, 'createActions', createActionSet, { bodyField: 'actionSet', creates: 'action set' }),
    testActionsRoute(bus, `${path}/test`),
    admin.put(one, 'updateActions', updateActionSet, { bodyName: 'createActionsSchema', bodyField: 'actionSet' }),
    admin.delete(one, 'deleteActions', deleteActionSet),
    admin.get(`${one}/events`, 'getActionsEvents', listActionRuns, { query: pageQuery }),
    admin.post(`${one}/on`, 'enableActions', switchActionSet, {
      summary: 'Switches an action set on; it matches the signals created from then on',
      fixed: { enabled: true },
    }),
    admin.post(`${one}/off`, 'disableActions', switchActionSet, {
      summary: 'Switches an action set off; its unfinished runs fail before their next step',
      fixed: { enabled: false },
    }),
  ];
}
