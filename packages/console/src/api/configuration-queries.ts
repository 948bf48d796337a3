import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client.ts';

/** What the screens of segments, environments, context fields and projects read beside `queries.ts`. */

export const segmentUsesQuery = (id: number) =>
  queryOptions({
    queryKey: ['segments', id, 'uses'],
    queryFn: async () => {
      const params = { path: { id: String(id) } };
      return (await answer(api.GET('/api/admin/segments/{id}/strategies', { params }))).strategies;
    },
  });

/** With null, a field of all projects. */
export const contextFieldUsesQuery = (projectId: string | null, contextField: string) =>
  queryOptions({
    queryKey: ['context-fields', projectId, contextField, 'uses'],
    async queryFn() {
      const { strategies } = await (projectId === null
        ? answer(api.GET('/api/admin/context/{contextField}/strategies', { params: { path: { contextField } } }))
        : answer(
            api.GET('/api/admin/projects/{projectId}/context/{contextField}/strategies', {
              params: { path: { projectId, contextField } },
            }),
          ));
      return strategies;
    },
  });

/** Every environment, and whether the project has it. */
export const projectEnvironmentsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'environments'],
    queryFn: async () => {
      const params = { path: { projectId } };
      return (await answer(api.GET('/api/admin/environments/project/{projectId}', { params }))).environments;
    },
  });

export const archivedProjectsQuery = queryOptions({
  queryKey: ['projects', 'archived'],
  queryFn: async () =>
    (await answer(api.GET('/api/admin/projects', { params: { query: { archived: 'true' } } }))).projects,
});
