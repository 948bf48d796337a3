import { api, write } from '../api/client.ts';
import type { FlagChange, Strategy, Target } from './change.ts';
import { operationsOf } from './operations.ts';

const ofFlag = '/api/admin/projects/{projectId}/features/{featureName}';
const ofEnvironment = `${ofFlag}/environments/{environment}` as const;

/**
 * Sends the change. Returns the strategy that was added, if one was. Throws a Problem when the change was refused, or
 * when its outcome is unknown. An edit has a `test` of what the person saw, so that it overwrites nothing else.
 */
export async function applyChange({ project, feature }: Target, change: FlagChange): Promise<Strategy | null> {
  const flag = { projectId: project, featureName: feature };
  switch (change.kind) {
    case 'switch': {
      const params = { path: { ...flag, environment: change.environment } };
      await write(() =>
        change.isOn ? api.POST(`${ofEnvironment}/on`, { params }) : api.POST(`${ofEnvironment}/off`, { params }),
      );
      return null;
    }
    case 'add-strategy': {
      const params = { path: { ...flag, environment: change.environment } };
      const sorted = change.sortOrder === undefined ? {} : { sortOrder: change.sortOrder };
      const body = { ...change.strategy, ...sorted };
      return write(() => api.POST(`${ofEnvironment}/strategies`, { params, body }));
    }
    case 'edit-strategy': {
      const { environment, before, after } = change;
      const params = { path: { ...flag, environment, strategyId: before.id } };
      await write(() =>
        api.PATCH(`${ofEnvironment}/strategies/{strategyId}`, { params, body: operationsOf(before, after) }),
      );
      return null;
    }
    case 'delete-strategy': {
      const { environment, before } = change;
      const params = { path: { ...flag, environment, strategyId: before.id } };
      await write(() => api.DELETE(`${ofEnvironment}/strategies/{strategyId}`, { params }));
      return null;
    }
    case 'order-strategies': {
      const params = { path: { ...flag, environment: change.environment } };
      const body = change.after.map(({ id }, sortOrder) => ({ id, sortOrder }));
      await write(() => api.POST(`${ofEnvironment}/strategies/set-sort-order`, { params, body }));
      return null;
    }
    case 'variants': {
      const { environment, before, after } = change;
      const whole = { path: '' } as const;
      const body = [
        { ...whole, op: 'test' as const, value: before },
        { ...whole, op: 'replace' as const, value: after },
      ];
      await write(() => api.PATCH(`${ofEnvironment}/variants`, { params: { path: { ...flag, environment } }, body }));
      return null;
    }
    case 'dependencies': {
      const params = { path: { projectId: project, child: feature } };
      const path = '/api/admin/projects/{projectId}/features/{child}/dependencies';
      await write(() =>
        change.after.length === 0
          ? api.DELETE(path, { params })
          : api.POST(path, { params, body: { parents: change.after } }),
      );
      return null;
    }
    case 'link': {
      const { before, after } = change;
      const ofLink = { path: { ...flag, linkId: before?.id ?? '' } };
      await write(() => {
        if (before === null) return api.POST(`${ofFlag}/link`, { params: { path: flag }, body: after! });
        if (after === null) return api.DELETE(`${ofFlag}/link/{linkId}`, { params: ofLink });
        return api.PUT(`${ofFlag}/link/{linkId}`, { params: ofLink, body: after });
      });
      return null;
    }
    case 'settings': {
      const body = operationsOf(change.before, change.after);
      await write(() => api.PATCH(ofFlag, { params: { path: flag }, body }));
      return null;
    }
    case 'tags': {
      const body = { addedTags: change.added, removedTags: change.removed };
      const params = { path: { featureName: feature } };
      await write(() => api.PUT('/api/admin/features/{featureName}/tags', { params, body }));
      return null;
    }
    case 'complete': {
      const body = { status: change.status };
      await write(() => api.POST(`${ofFlag}/lifecycle/complete`, { params: { path: flag }, body }));
      return null;
    }
    case 'uncomplete':
      await write(() => api.POST(`${ofFlag}/lifecycle/uncomplete`, { params: { path: flag } }));
      return null;
    case 'archive':
      await write(() => api.DELETE(ofFlag, { params: { path: flag } }));
      return null;
    case 'revive':
      await write(() =>
        api.POST('/api/admin/archive/revive/{featureName}', { params: { path: { featureName: feature } } }),
      );
      return null;
  }
}
