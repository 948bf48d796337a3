import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { Empty } from '../../ui/shown.tsx';

interface Props {
  isNarrowed: boolean;
  endpoints: readonly Schemas['signalEndpointSchema'][];
}

/** In place of signals: what to do to get the first one. */
export function NoSignal({ isNarrowed, endpoints }: Props) {
  if (isNarrowed) return <Empty title="No signal matches" />;
  return (
    <Empty title="No signal has arrived">
      <p>
        A signal is a message of another system, such as an alert.{' '}
        {endpoints.length === 0 ? (
          <Link to="/signals/endpoints">Make an endpoint that receives them</Link>
        ) : (
          <Link to="/signals/endpoints/$endpointId" params={{ endpointId: `${endpoints[0]!.id}` }}>
            Send the first one to {endpoints[0]!.name}
          </Link>
        )}
      </p>
    </Empty>
  );
}
