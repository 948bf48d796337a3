import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Schemas, write } from '../api/client.ts';
import { sayNotDone } from '../save/say-not-done.ts';
import { Star } from '../ui/star.tsx';

/** Whether the flag is a favourite of the user. It is nobody else's, so it needs no review. */
export function FavoriteStar({ flag }: { flag: Pick<Schemas['featureSchema'], 'name' | 'project' | 'favorite'> }) {
  const queries = useQueryClient();
  const path = { projectId: flag.project, featureName: flag.name };
  const url = '/api/admin/projects/{projectId}/features/{featureName}/favorites';
  const change = useMutation({
    // A second press waits for the first one.
    scope: { id: `star of ${flag.name}` },
    mutationFn: (isFavorite: boolean) =>
      write(() => (isFavorite ? api.POST(url, { params: { path } }) : api.DELETE(url, { params: { path } }))),
    onError: (error) => sayNotDone('the list of favourites', 'changed', error),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['features'] }),
        queries.invalidateQueries({ queryKey: ['feature', flag.project, flag.name] }),
      ]),
  });
  const isFavorite = change.isPending ? change.variables : flag.favorite;
  return <Star label={`${flag.name} is a favourite`} isOn={isFavorite} onChange={(isOn) => change.mutate(isOn)} />;
}
