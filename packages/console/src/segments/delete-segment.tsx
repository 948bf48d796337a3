import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, type Schemas, write } from '../api/client.ts';
import { segmentUsesQuery } from '../api/configuration-queries.ts';
import { segmentsQuery } from '../api/queries.ts';
import { DeleteButton } from '../ui/delete-button.tsx';
import { isolated } from '../ui/direction.ts';
import { sayDone } from '../ui/toasts.tsx';
import { useMissingForSegments } from './use-missing-for-segments.ts';

/** Deletes a segment. The page lists the strategies that forbid it. */
export function DeleteSegment({ segment: { id, name, project } }: { segment: Schemas['adminSegmentSchema'] }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const missing = useMissingForSegments()('DELETE_SEGMENT', project);
  const { data: uses } = useQuery(segmentUsesQuery(id));
  const staysBecause =
    uses === undefined
      ? 'It is not known yet what uses it.'
      : uses.length > 0
        ? 'Strategies use it. Take it out of them first.'
        : null;
  return (
    <DeleteButton
      what={`the segment ${isolated(name)}`}
      offBecause={missing ?? staysBecause}
      send={() => write(() => api.DELETE('/api/admin/segments/{id}', { params: { path: { id: `${id}` } } }))}
      onDone={() => {
        sayDone(`The segment ${isolated(name)} was deleted.`);
        void navigate({ to: '/segments', ignoreBlocker: true });
        void queries.invalidateQueries({ queryKey: segmentsQuery.queryKey });
      }}
    >
      No strategy uses it, so no flag changes for anybody.
    </DeleteButton>
  );
}
