import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries.ts';
import { type RecentChange, useRecentChange } from '../live/recent-changes.ts';
import { Time } from '../ui/time.tsx';

const verbs: Partial<Record<RecentChange['type'], string>> = {
  'feature-environment-enabled': 'switched on',
  'feature-environment-disabled': 'switched off',
};

interface Props {
  project: string;
  feature: string;
  environment: string;
}

/** Who else changed this while the page was open, and when. */
export function ChangedBy({ project, feature, environment }: Props) {
  const change = useRecentChange(project, feature, environment);
  // A list has hundreds of these, and few of them have a change.
  return change === undefined ? null : <ChangedByOther {...change} />;
}

function ChangedByOther({ type, by, byUserId, at }: RecentChange) {
  const { data } = useQuery(meQuery);
  if (byUserId === data?.user.id) return null;
  return (
    <span role="status">
      , {verbs[type] ?? 'changed'} by {by} <Time at={at} />
    </span>
  );
}
