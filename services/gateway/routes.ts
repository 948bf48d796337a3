import type { Bus } from '@yardarm/shared/bus';
import { addonRoutes } from './addons/addons.routes.ts';
import { clientRoutes } from './client/client.routes.ts';
import { type GatewayConfig, publicUrl } from './config.ts';
import { eventSearchRoutes } from './events/event-search.routes.ts';
import { eventRoutes } from './events/events.routes.ts';
import { exportEventsRoute } from './events/export-events.ts';
import { createLogHead } from './events/log-head.ts';
import { streamEventsRoute } from './events/stream-events.ts';
import { featureRoutes } from './features/features.routes.ts';
import type { Route } from './http/route.ts';
import { serviceAccountRoutes } from './service-accounts/service-accounts.routes.ts';
import { callSignalEndpointRoute } from './signals/call-signal-endpoint.ts';
import { signalEndpointRoutes } from './signals/signal-endpoints.routes.ts';
import type { Snapshots } from './snapshots/snapshots.ts';

/** Every route of the public API; none is mounted elsewhere, save health and the documents. */
export function routes(
  bus: Bus,
  snapshots: Snapshots,
  config: Pick<GatewayConfig, 'SIGNAL_PAYLOAD_LIMIT_BYTES' | 'UNLEASH_URL' | 'PORT'>,
): Route[] {
  return [
    ...clientRoutes(snapshots),
    callSignalEndpointRoute(bus, config.SIGNAL_PAYLOAD_LIMIT_BYTES),
    ...featureRoutes(bus),
    ...eventRoutes(bus),
    streamEventsRoute(bus, createLogHead(bus)),
    exportEventsRoute(bus),
    ...eventSearchRoutes(bus, publicUrl(config)),
    ...addonRoutes(bus),
    ...serviceAccountRoutes(bus),
    ...signalEndpointRoutes(bus),
  ];
}
