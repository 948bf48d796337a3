import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries.ts';
import { useRecentChange } from '../live/recent-changes.ts';
import { Time } from '../ui/time.tsx';

/** Who else changed this while the page was open, and when. */
export function ChangedBy({
  project,
  feature,
  environment,
}: {
  project: string;
  feature: string;
  environment: string;
}) {
  const { data } = useQuery(meQuery);
  const change = useRecentChange(project, feature, environment);
  if (change === undefined || change.byUserId === data?.user.id) return null;
  return (
    <span role="status">
      , changed by {change.by} <Time at={change.at} />
    </span>
  );
}
