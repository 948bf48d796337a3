import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { basePath } from '../api/client.ts';
import { eventsQuery } from '../api/queries.ts';
import { LinkButton } from '../ui/link-button.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { ChainBadge } from './chain-badge.tsx';
import { EventFilters } from './event-filters.tsx';
import { EventList } from './event-list.tsx';
import { toEventFilters } from './event-search.ts';

const route = getRouteApi('/events');

/** The event log, newest first. New events appear as they are recorded. */
export function EventsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(eventsQuery(toEventFilters(search)));
  const range = new URLSearchParams(
    Object.entries({ from: search.from, to: search.to }).filter(([, day]) => day) as [string, string][],
  );
  return (
    <>
      <PageHead title="Event log">
        <ChainBadge />
        <LinkButton href={`${basePath}/api/admin/events/export?${range}`} download="events.ndjson">
          Export NDJSON
        </LinkButton>
        <LinkButton href={`${basePath}/api/admin/events/export?format=csv&${range}`} download="events.csv">
          Export CSV
        </LinkButton>
      </PageHead>
      <EventFilters search={search} onChange={(changed) => void navigate({ search: changed, replace: true })} />
      <EventList query={query} />
    </>
  );
}
