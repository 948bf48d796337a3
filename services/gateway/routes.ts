import type { Bus } from '@yardarm/shared/bus';
import type { Logger } from '@yardarm/shared/log';
import { actionSetRoutes } from './action-sets/action-sets.routes.ts';
import { addonRoutes } from './addons/addons.routes.ts';
import { apiTokenRoutes } from './api-tokens/api-tokens.routes.ts';
import { archiveRoutes } from './archive/archive.routes.ts';
import type { Tokens } from './authentication/tokens.ts';
import { clientRoutes } from './client/client.routes.ts';
import { type GatewayConfig, publicPath, publicUrl } from './config.ts';
import { contextRoutes } from './context/context.routes.ts';
import { dependencyRoutes } from './dependencies/dependencies.routes.ts';
import { edgeRoutes } from './edge/edge.routes.ts';
import { environmentRoutes } from './environments/environments.routes.ts';
import { projectEnvironmentRoutes } from './environments/project-environments.routes.ts';
import { eventSearchRoutes } from './events/event-search.routes.ts';
import { eventRoutes } from './events/events.routes.ts';
import { exportEventsRoute } from './events/export-events.ts';
import { createLogHead } from './events/log-head.ts';
import { streamEventsRoute } from './events/stream-events.ts';
import { favoriteRoutes } from './favorites/favorites.routes.ts';
import { featureTypeRoutes } from './feature-types/feature-types.routes.ts';
import { featureChangeRoutes } from './features/feature-changes.routes.ts';
import { featureRoutes } from './features/features.routes.ts';
import { searchFeaturesRoute } from './features/search-features.ts';
import { variantRoutes } from './features/variants.routes.ts';
import { frontendRoutes } from './frontend/frontend.routes.ts';
import { groupRoutes } from './groups/groups.routes.ts';
import type { OpenStreams } from './http/open-streams.ts';
import type { Route } from './http/route.ts';
import { importExportRoutes } from './import-export/import-export.routes.ts';
import { lifecycleRoutes } from './lifecycle/lifecycle.routes.ts';
import { linkRoutes } from './links/links.routes.ts';
import { ofrepEventsRoute } from './ofrep/events.routes.ts';
import { ofrepRoutes } from './ofrep/ofrep.routes.ts';
import { personalTokenRoutes } from './personal-tokens/personal-tokens.routes.ts';
import { playgroundRoutes } from './playground/playground.routes.ts';
import { projectAccessRoutes } from './project-access/project-access.routes.ts';
import { projectRoutes } from './projects/projects.routes.ts';
import { roleRoutes } from './roles/roles.routes.ts';
import type { SdkParts } from './sdk-parts.ts';
import { segmentRoutes } from './segments/segments.routes.ts';
import { serviceAccountRoutes } from './service-accounts/service-accounts.routes.ts';
import { choosePasswordRoutes } from './sign-in/choose-password.routes.ts';
import { passwordRoutes } from './sign-in/passwords.routes.ts';
import { signInRoutes } from './sign-in/sign-in.routes.ts';
import { getSignalRoute } from './signals/get-signal.ts';
import { callSignalEndpointRoute } from './signals/send-signal.ts';
import { signalEndpointRoutes } from './signals/signal-endpoints.routes.ts';
import { signalListRoutes } from './signals/signal-lists.routes.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import { strategyRoutes } from './strategies/strategies.routes.ts';
import { strategyTypeRoutes } from './strategy-types/strategy-types.routes.ts';
import { disconnectStreamsRoute, streamFeaturesRoute } from './streaming/streaming.routes.ts';
import { tagRoutes } from './tags/tags.routes.ts';
import { consoleRoutes } from './ui-config/console.routes.ts';
import { enterpriseRoutes } from './ui-config/enterprise.routes.ts';
import { uiConfigRoutes } from './ui-config/ui-config.routes.ts';
import { usageRoutes } from './usage/usage.routes.ts';
import { usageViewRoutes } from './usage/usage-views.routes.ts';
import { ownRoutes } from './users/own.routes.ts';
import { userRoutes } from './users/users.routes.ts';

/** The routes of SDKs and of the proxies in front of them. */
export function sdkRoutes(
  { snapshots, views, sdkStreams, refetchStreams, usage }: SdkParts,
  tokens: Tokens,
  config: GatewayConfig,
): Route[] {
  return [
    ...clientRoutes(snapshots, views, sdkStreams),
    streamFeaturesRoute(snapshots, views, sdkStreams),
    ...frontendRoutes(snapshots),
    ...ofrepRoutes(snapshots, publicPath(config)),
    ofrepEventsRoute(snapshots, tokens, refetchStreams, config.REQUEST_TIMEOUT_MS),
    ...usageRoutes(usage, config),
    ...edgeRoutes(tokens),
  ];
}

export function signalRoutes(bus: Bus, config: GatewayConfig): Route[] {
  return [callSignalEndpointRoute(bus, config.SIGNAL_PAYLOAD_LIMIT_BYTES), getSignalRoute(bus)];
}

/** The routes of administrators and their consoles. */
export function adminRoutes(
  bus: Bus,
  snapshots: Snapshots,
  streams: OpenStreams,
  config: GatewayConfig,
  log: Logger,
): Route[] {
  return [
    disconnectStreamsRoute(bus),
    ...featureRoutes(bus),
    ...strategyRoutes(bus),
    ...strategyTypeRoutes(bus),
    ...featureChangeRoutes(bus),
    ...archiveRoutes(bus),
    ...projectRoutes(bus, publicUrl(config)),
    ...linkRoutes(bus),
    ...favoriteRoutes(bus),
    ...lifecycleRoutes(bus),
    ...usageViewRoutes(bus),
    ...featureTypeRoutes(bus, snapshots),
    searchFeaturesRoute(bus),
    ...playgroundRoutes(bus),
    ...importExportRoutes(bus, config.IMPORT_LIMIT_BYTES),
    ...tagRoutes(bus),
    ...contextRoutes(bus),
    ...variantRoutes(bus),
    ...dependencyRoutes(bus),
    ...segmentRoutes(bus),
    ...environmentRoutes(bus),
    ...projectEnvironmentRoutes(bus),
    ...eventRoutes(bus),
    streamEventsRoute(bus, createLogHead(bus), streams),
    exportEventsRoute(bus, streams),
    ...eventSearchRoutes(bus, publicUrl(config)),
    ...addonRoutes(bus),
    ...serviceAccountRoutes(bus),
    ...apiTokenRoutes(bus),
    ...personalTokenRoutes(bus),
    ...userRoutes(bus, publicUrl(config)),
    ...ownRoutes(bus),
    ...signInRoutes(bus),
    ...choosePasswordRoutes(),
    ...passwordRoutes(bus, publicUrl(config)),
    ...roleRoutes(bus),
    ...groupRoutes(bus),
    ...projectAccessRoutes(bus),
    ...signalEndpointRoutes(bus, publicUrl(config)),
    ...actionSetRoutes(bus),
    ...signalListRoutes(bus),
    ...uiConfigRoutes(bus, publicUrl(config), config.UNLEASH_FRONTEND_API_ORIGINS),
    ...enterpriseRoutes(),
    ...consoleRoutes(log),
  ];
}
