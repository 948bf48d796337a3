import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api, write } from '../api/client.ts';
import { integrationsQuery } from '../api/queries.ts';
import { bodyOf, type Draft, draftOf, type Integration } from './draft.ts';

/** Reads again what is known of integrations, also after a write whose outcome is not known. */
export function useReadAgain(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: integrationsQuery.queryKey });
}

/** Makes an integration of the provider, or changes the one with the id. */
export function useSaveIntegration(provider: string, id?: number) {
  return useMutation({
    mutationFn: (draft: Draft): Promise<Integration> => {
      const body = bodyOf(provider, draft);
      if (id === undefined) return write(() => api.POST('/api/admin/addons', { body }));
      return write(() => api.PUT('/api/admin/addons/{id}', { params: { path: { id: String(id) } }, body }));
    },
    onSettled: useReadAgain(),
  });
}

/** Switches an integration. What else somebody has changed meanwhile stays. */
export function useEnable(id: number) {
  return useMutation({
    async mutationFn(enabled: boolean): Promise<Integration> {
      const params = { path: { id: String(id) } };
      const now = await answer(api.GET('/api/admin/addons/{id}', { params }));
      const body = bodyOf(now.provider, { ...draftOf(now), enabled });
      return write(() => api.PUT('/api/admin/addons/{id}', { params, body }));
    },
    onSettled: useReadAgain(),
  });
}
