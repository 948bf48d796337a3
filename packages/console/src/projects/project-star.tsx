import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, write } from '../api/client.ts';
import { sayNotDone } from '../save/say-not-done.ts';
import { isolated } from '../ui/direction.ts';
import { Star } from '../ui/star.tsx';

/** Whether the project is a favourite of the user. */
export function ProjectStar({ id, name, favorite }: { id: string; name: string; favorite: boolean }) {
  const queries = useQueryClient();
  const options = { params: { path: { projectId: id } } };
  const url = '/api/admin/projects/{projectId}/favorites';
  const change = useMutation({
    // A second press waits for the first one.
    scope: { id: `star of project ${id}` },
    mutationFn: (isFavorite: boolean) => write(() => (isFavorite ? api.POST(url, options) : api.DELETE(url, options))),
    onError: (error) => sayNotDone('the list of favourites', 'changed', error),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['projects'] }),
        queries.invalidateQueries({ queryKey: ['project', id] }),
      ]),
  });
  const isOn = change.isPending ? change.variables : favorite;
  return <Star label={`${isolated(name)} is a favourite`} isOn={isOn} onChange={(wanted) => change.mutate(wanted)} />;
}
