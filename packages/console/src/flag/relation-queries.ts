import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';

/** The flags that a flag may depend on. */
export const parentOptionsQuery = (projectId: string, child: string) =>
  queryOptions({
    queryKey: ['feature', projectId, child, 'parent-options'],
    queryFn: () =>
      answer(
        api.GET('/api/admin/projects/{projectId}/features/{child}/parents', { params: { path: { projectId, child } } }),
      ),
  });

/** The names of the variants that a flag has in any environment. */
export const parentVariantsQuery = (projectId: string, parent: string) =>
  queryOptions({
    queryKey: ['feature', projectId, parent, 'variant-options'],
    queryFn: () =>
      answer(
        api.GET('/api/admin/projects/{projectId}/features/{parent}/parent-variants', {
          params: { path: { projectId, parent } },
        }),
      ),
    enabled: parent !== '',
  });
