import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { segmentsQuery } from '../api/queries.ts';
import { Edited } from '../ui/edited.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Empty, Shown } from '../ui/shown.tsx';
import { DeleteSegment } from './delete-segment.tsx';
import { SegmentForm, type SegmentSettings, settingsOf } from './segment-form.tsx';

const route = getRouteApi('/segments/$segmentId');

const nothing: SegmentSettings = { name: '', description: null, project: null, constraints: [] };

/** Makes a segment, or edits one. */
export function SegmentPage() {
  const { segmentId } = route.useParams();
  const { project } = route.useSearch();
  const query = useQuery(segmentsQuery);
  const above = <Link to="/segments">Segments</Link>;
  if (segmentId === 'new')
    return (
      <>
        <PageHead title="New segment" above={above} />
        <SegmentForm id={null} initial={{ ...nothing, project: project ?? null }} />
      </>
    );
  return (
    <Shown query={query}>
      {({ segments }) => {
        const segment = segments.find(({ id }) => `${id}` === segmentId);
        if (segment === undefined) return <Empty title="There is no such segment" />;
        return (
          <>
            <PageHead title={segment.name} above={above}>
              <DeleteSegment segment={segment} />
            </PageHead>
            <Editor key={segment.id} segment={segment} />
          </>
        );
      }}
    </Shown>
  );
}

function Editor({ segment }: { segment: Schemas['adminSegmentSchema'] }) {
  const queries = useQueryClient();
  const read = () => queries.getQueryData(segmentsQuery.queryKey)?.segments.find(({ id }) => id === segment.id);
  return (
    <Edited what="this segment" now={segment} read={read} settingsOf={settingsOf}>
      {(before, onSaved) => <SegmentForm id={segment.id} initial={settingsOf(before)} onSaved={onSaved} />}
    </Edited>
  );
}
