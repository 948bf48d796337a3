import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { basePath } from '../api/client.ts';
import { eventsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { LinkButton } from '../ui/link-button.tsx';
import { narrowed } from '../ui/narrowed.ts';
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
  const missing = useMissing();
  const { from, to } = search;
  const range = { ...(from && { from }), ...(to && { to }) };
  const isRange = from !== undefined || to !== undefined;
  return (
    <>
      <PageHead title="Event log">
        <ChainBadge />
        {(['ndjson', 'csv'] as const).map((format) => (
          <LinkButton
            key={format}
            href={`${basePath}/api/admin/events/export?${new URLSearchParams({ format, ...range })}`}
            download={`events.${format}`}
            offBecause={missing('READ_LOGS')}
          >
            {/* The other filters do not narrow it. */}
            Export all events{isRange && ' of these days'} as {format.toUpperCase()}
          </LinkButton>
        ))}
      </PageHead>
      <EventFilters search={search} onChange={(changed) => void navigate(narrowed(search, changed))} />
      <EventList query={query} />
    </>
  );
}
