import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api, write } from '../api/client.ts';
import { integrationsQuery } from '../api/queries.ts';
import { sayNotDone } from '../save/say-not-done.ts';
import { sayDone } from '../ui/toasts.tsx';
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

/** Switches an integration, and says so. What else somebody has changed meanwhile stays. */
export function useEnable(id: number, name: string) {
  const enable = useMutation({
    // A second press waits for the first one.
    scope: { id: `integration ${id}` },
    async mutationFn(enabled: boolean): Promise<Integration> {
      const params = { path: { id: String(id) } };
      const now = await answer(api.GET('/api/admin/addons/{id}', { params }));
      const body = bodyOf(now.provider, { ...draftOf(now), enabled });
      return write(() => api.PUT('/api/admin/addons/{id}', { params, body }));
    },
    // Here and not at each call, whose handlers are not called once the page is left.
    onSuccess: (_, isOn) => sayDone(`${name} is ${isOn ? 'on' : 'off'}.`, () => enable.mutate(!isOn)),
    onError: (error, isOn) => sayNotDone(name, `switched ${isOn ? 'on' : 'off'}`, error, () => enable.mutate(isOn)),
    onSettled: useReadAgain(),
  });
  return enable;
}
