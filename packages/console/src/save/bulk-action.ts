import { api, type Schemas, write } from '../api/client.ts';

/** What is done with several flags at once. */
export type BulkAction =
  | { kind: 'switch'; environment: string; isOn: boolean }
  | { kind: 'stale'; isStale: boolean }
  | { kind: 'tag'; tag: { type: string; value: string } | null }
  | { kind: 'archive' };

export type ChosenFlag = Pick<Schemas['featureSearchResponseSchema'], 'project' | 'name' | 'environments'>;

/** The permission that the API asks for in each project. */
export function permissionOf(action: BulkAction): { permission: string; environment?: string } {
  switch (action.kind) {
    case 'switch':
      return { permission: 'UPDATE_FEATURE_ENVIRONMENT', environment: action.environment };
    case 'archive':
      return { permission: 'DELETE_FEATURE' };
    default:
      return { permission: 'UPDATE_FEATURE' };
  }
}

/**
 * Sends one request for each project of the flags. Each project's flags are changed together or not at all. `onChanged`
 * gets those of each project that were changed.
 */
export async function applyBulkAction(
  action: BulkAction,
  flags: ChosenFlag[],
  onChanged: (flags: ChosenFlag[]) => void,
): Promise<void> {
  const byProject = Map.groupBy(flags, ({ project }) => project);
  for (const [projectId, ofProject] of byProject) {
    await applyInProject(
      action,
      projectId,
      ofProject.map(({ name }) => name),
    );
    onChanged(ofProject);
  }
}

async function applyInProject(action: BulkAction, projectId: string, features: string[]): Promise<void> {
  const params = { path: { projectId } };
  switch (action.kind) {
    case 'switch': {
      const url = '/api/admin/projects/{projectId}/bulk_features/environments/{environment}';
      const options = { params: { path: { projectId, environment: action.environment } }, body: { features } };
      await write(() => (action.isOn ? api.POST(`${url}/on`, options) : api.POST(`${url}/off`, options)));
      return;
    }
    case 'stale':
      await write(() =>
        api.POST('/api/admin/projects/{projectId}/stale', { params, body: { features, stale: action.isStale } }),
      );
      return;
    case 'tag': {
      const tags = { addedTags: action.tag === null ? [] : [action.tag], removedTags: [] };
      await write(() => api.PUT('/api/admin/projects/{projectId}/tags', { params, body: { features, tags } }));
      return;
    }
    case 'archive':
      await write(() => api.POST('/api/admin/projects/{projectId}/archive', { params, body: { features } }));
  }
}
