import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sayDone } from '../ui/toasts.tsx';

/** Sends settings of a project, and shows what is changed by them. */
export function useSaveProject(id: string, send: () => Promise<unknown>, onSaved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    async onSuccess() {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['projects'] }),
        queries.invalidateQueries({ queryKey: ['project', id] }),
      ]);
      onSaved();
      sayDone('The settings of the project were saved.');
    },
  });
}
