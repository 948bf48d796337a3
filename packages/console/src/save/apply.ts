import { answerWithETag, api, requireOnline, write } from '../api/client.ts';
import { notSent, Problem } from '../api/problem.ts';
import { conflictOf } from './after.ts';
import type { FlagChange, Strategy, Target } from './change.ts';
import { type FlagVersion, strategyAdded } from './flag-version.ts';
import { operationsOf } from './operations.ts';

const ofFlag = '/api/admin/projects/{projectId}/features/{featureName}';
const ofEnvironment = `${ofFlag}/environments/{environment}` as const;

/**
 * Sends the change. Returns the strategy that was added, if one was. Throws a Problem when the change was refused, or
 * when its outcome is unknown. An edit has a `test` of what the person saw, so that it overwrites nothing else.
 */
export async function applyChange(target: Target, change: FlagChange): Promise<Strategy | null> {
  const flag = { projectId: target.project, featureName: target.feature };
  switch (change.kind) {
    case 'switch':
      return applySwitch(target, change);
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
    case 'delete-strategy':
      await deleteStrategy(target, change);
      return null;
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
      const params = { path: { projectId: target.project, child: target.feature } };
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
      const params = { path: { featureName: target.feature } };
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
        api.POST('/api/admin/archive/revive/{featureName}', { params: { path: { featureName: target.feature } } }),
      );
      return null;
  }
}

/** Reads the flag from the server. */
function readVersion({ project, feature }: Target): Promise<FlagVersion> {
  return answerWithETag(api.GET(ofFlag, { params: { path: { projectId: project, featureName: feature } } }));
}

/** Switches the flag. One that is switched on without an enabled strategy gets one by that. */
async function applySwitch(target: Target, change: FlagChange & { kind: 'switch' }): Promise<Strategy | null> {
  const { environment, isOn } = change;
  const params = { path: { projectId: target.project, featureName: target.feature, environment } };
  if (!isOn) {
    await write(() => api.POST(`${ofEnvironment}/off`, { params }));
    return null;
  }
  requireOnline();
  // Without it the flag is switched on all the same, and an undo leaves the strategy that this added.
  const before = await readVersion(target).catch(() => null);
  const after = await answerWithETag(api.POST(`${ofEnvironment}/on`, { params }));
  return before && strategyAdded(before, after, environment);
}

/** Deletes the strategy as the person saw it. The server refuses when the flag has changed since it was read here. */
async function deleteStrategy(target: Target, change: FlagChange & { kind: 'delete-strategy' }): Promise<void> {
  const { environment, before } = change;
  const path = { projectId: target.project, featureName: target.feature, environment, strategyId: before.id };
  for (let last: string | null | undefined; ; ) {
    requireOnline();
    const { data, etag } = await readVersion(target).catch((error) => {
      throw notSent(error);
    });
    const reason = conflictOf(change, data);
    if (reason !== null) throw new Problem('conflict', `Somebody else has ${pastWords[reason]} it meanwhile.`);
    const params = { path, header: { 'if-match': etag ?? '*' } };
    try {
      await write(() => api.DELETE(`${ofEnvironment}/strategies/{strategyId}`, { params }));
      return;
    } catch (error) {
      // Another change of the flag came between. It may be one of something else.
      const isOvertaken = error instanceof Problem && error.code === 'PreconditionFailedError' && etag !== last;
      if (!isOvertaken) throw error;
      last = etag;
    }
  }
}

const pastWords = { gone: 'deleted', changed: 'changed' };
