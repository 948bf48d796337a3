import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries.ts';
import { type RecentChange, useRecentChange } from '../live/recent-changes.ts';
import { Time } from '../ui/time.tsx';

const verbs: Partial<Record<RecentChange['type'], string>> = {
  'feature-environment-enabled': 'switched on',
  'feature-environment-disabled': 'switched off',
};

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
      , {verbs[change.type] ?? 'changed'} by {change.by} <Time at={change.at} />
    </span>
  );
}
