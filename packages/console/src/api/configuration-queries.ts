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

export const contextFieldUsesQuery = (contextField: string) =>
  queryOptions({
    queryKey: ['context-fields', contextField, 'uses'],
    queryFn: async () => {
      const params = { path: { contextField } };
      return (await answer(api.GET('/api/admin/context/{contextField}/strategies', { params }))).strategies;
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
