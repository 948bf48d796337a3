import { useQuery } from '@tanstack/react-query';
import { chainQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Time } from '../ui/time.tsx';

/** Says how far the chain of hashes of the log was verified, or which event is the first that breaks it. */
export function ChainBadge() {
  const mayRead = useMissing()('READ_LOGS') === null;
  const { data, error, dataUpdatedAt } = useQuery({ ...chainQuery, enabled: mayRead });
  if (!mayRead) return null;
  if (error !== null) return <Badge look="warning">The chain was not verified: {error.message}</Badge>;
  if (data === undefined) return <Badge>Verifying the chain …</Badge>;
  if (data.firstBroken !== null) {
    return (
      <Badge look="danger">
        The chain breaks at event {data.firstBroken.id}: {data.firstBroken.reason}
      </Badge>
    );
  }
  return (
    <Badge look="good">
      Chain verified to event {data.to.toLocaleString()}, <Time at={new Date(dataUpdatedAt).toISOString()} />
    </Badge>
  );
}
