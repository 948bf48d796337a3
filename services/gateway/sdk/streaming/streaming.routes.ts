import type { Bus } from '@yardarm/shared/bus';
import { disconnectStreamsHint } from '@yardarm/shared/contracts/gateway';
import { type Route, route } from '../../routing/route.ts';
import { filteredScope, filtersQuery } from '../client/filters.ts';
import { relateEventId } from '../snapshots/positions.ts';
import { snapshotOf } from '../snapshots/snapshot-of.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { ScopeViews } from '../snapshots/views.ts';
import type { SdkStreams } from './sdk-streams.ts';

export function streamFeaturesRoute(snapshots: Snapshots, views: ScopeViews, streams: SdkStreams): Route {
  return route({
    method: 'get',
    path: '/api/client/streaming',
    operationId: 'streamFeatures',
    summary:
      'The events of the delta as they happen, as server-sent events: `unleash-connected` once, then `unleash-updated`',
    tag: 'Client',
    audience: 'client',
    query: filtersQuery,
    headers: {
      'Last-Event-ID': 'The id of the last event that the SDK has got: it gets what is newer, else a hydration',
    },
    answer: { status: 200, mediaType: 'text/event-stream' },
    errors: ['rate-limited', 'unavailable'],
    async handle({ query, token, header }) {
      const scope = filteredScope(token!, query, 'separate');
      const snapshot = await snapshotOf(snapshots, token!);
      const lastEventId = header('last-event-id');
      const isAhead = relateEventId(lastEventId, views.of(snapshot, scope)).kind === 'ahead';
      const hasAskedFlags = isAhead && (await snapshots.catchUp(snapshot));
      const connectionId = header('unleash-connection-id');
      return {
        status: 200,
        respond: (client) =>
          streams.open({ ...client, token: token! }, { scope, lastEventId, connectionId, hasAskedFlags }),
      };
    },
  });
}

export function disconnectStreamsRoute(bus: Bus): Route {
  return route({
    method: 'post',
    path: '/api/admin/streaming/disconnect-all',
    operationId: 'disconnectAllStreams',
    summary: 'Ends the streams of all SDKs on all gateways; the SDKs connect again',
    tag: 'Client',
    audience: 'admin',
    permission: 'ADMIN',
    answer: { status: 200 },
    errors: [],
    async handle() {
      bus.hint(disconnectStreamsHint, {});
      return { status: 200 };
    },
  });
}
