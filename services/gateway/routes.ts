import type { Bus } from '@yardarm/shared/bus';
import type { Logger } from '@yardarm/shared/log';
import type { Settings } from '@yardarm/shared/service';
import { addonRoutes } from './admin/addons.routes.ts';
import { apiTokenRoutes } from './admin/api-tokens.routes.ts';
import { archiveRoutes } from './admin/archive.routes.ts';
import { bannerRoutes } from './admin/banners.routes.ts';
import { contextRoutes } from './admin/context.routes.ts';
import { dependencyRoutes } from './admin/dependencies.routes.ts';
import { environmentRoutes } from './admin/environments.routes.ts';
import { eventSearchRoutes } from './admin/events/event-search.routes.ts';
import { eventRoutes } from './admin/events/events.routes.ts';
import { exportEventsRoute } from './admin/events/export-events.ts';
import { createLogHead } from './admin/events/log-head.ts';
import { streamEventsRoute } from './admin/events/stream-events.ts';
import { favoriteRoutes } from './admin/favorites.routes.ts';
import { featureChangeRoutes } from './admin/features/feature-changes.routes.ts';
import { featureRoutes } from './admin/features/features.routes.ts';
import { searchFeaturesRoute } from './admin/features/search-features.ts';
import { variantRoutes } from './admin/features/variants.routes.ts';
import { groupRoutes } from './admin/groups.routes.ts';
import { importExportRoutes } from './admin/import-export.routes.ts';
import { insightRoutes } from './admin/insights.routes.ts';
import { instanceStatisticsRoutes } from './admin/instance-statistics.routes.ts';
import { instanceStatusRoutes } from './admin/instance-status.routes.ts';
import { lifecycleRoutes } from './admin/lifecycle.routes.ts';
import { linkRoutes } from './admin/links.routes.ts';
import { ownRoutes } from './admin/me.routes.ts';
import { personalTokenRoutes } from './admin/personal-tokens.routes.ts';
import { playgroundRoutes } from './admin/playground/playground.routes.ts';
import { projectAccessRoutes } from './admin/project-access.routes.ts';
import { projectEnvironmentRoutes } from './admin/project-environments.routes.ts';
import { projectRoutes } from './admin/projects/projects.routes.ts';
import { roleRoutes } from './admin/roles.routes.ts';
import { savedViewRoutes } from './admin/saved-views.routes.ts';
import { segmentRoutes } from './admin/segments.routes.ts';
import { serviceAccountRoutes } from './admin/service-accounts.routes.ts';
import { settingsRoutes } from './admin/settings.routes.ts';
import { choosePasswordRoutes } from './admin/sign-in/choose-password.routes.ts';
import { passwordRoutes } from './admin/sign-in/passwords.routes.ts';
import { signInRoutes } from './admin/sign-in/sign-in.routes.ts';
import { strategyRoutes } from './admin/strategies.routes.ts';
import { strategyTypeRoutes } from './admin/strategy-types.routes.ts';
import { tagRoutes } from './admin/tags.routes.ts';
import { consoleRoutes } from './admin/ui-config/console.routes.ts';
import { enterpriseRoutes } from './admin/ui-config/enterprise.routes.ts';
import { uiConfigRoutes } from './admin/ui-config/ui-config.routes.ts';
import { usageViewRoutes } from './admin/usage-views.routes.ts';
import { userRoutes } from './admin/users.routes.ts';
import { SessionCookie } from './auth/session-cookie.ts';
import type { Tokens } from './auth/tokens.ts';
import { type GatewayConfig, publicPath, publicUrl } from './config.ts';
import type { OpenStreams } from './routing/open-streams.ts';
import type { Route } from './routing/route.ts';
import { clientRoutes } from './sdk/client/client.routes.ts';
import { edgeRoutes } from './sdk/edge.routes.ts';
import { featureTypeRoutes } from './sdk/feature-types.routes.ts';
import { frontendRoutes } from './sdk/frontend/frontend.routes.ts';
import { ofrepEventsRoute } from './sdk/ofrep/events.routes.ts';
import { ofrepRoutes } from './sdk/ofrep/ofrep.routes.ts';
import type { SdkParts } from './sdk/sdk-parts.ts';
import type { Snapshots } from './sdk/snapshots/snapshots.ts';
import { disconnectStreamsRoute, streamFeaturesRoute } from './sdk/streaming/streaming.routes.ts';
import { usageRoutes } from './sdk/usage/usage.routes.ts';
import { actionSetRoutes } from './signals/action-sets.routes.ts';
import { getSignalRoute } from './signals/get-signal.ts';
import { callSignalEndpointRoute } from './signals/send-signal.ts';
import { signalEndpointRoutes } from './signals/signal-endpoints.routes.ts';
import { signalListRoutes } from './signals/signal-lists.routes.ts';

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

export interface AdminParts {
  bus: Bus;
  snapshots: Snapshots;
  streams: OpenStreams;
  settings: Pick<Settings, 'current' | 'refresh'>;
  config: GatewayConfig;
  log: Logger;
}

/** The routes of administrators and their consoles. */
export function adminRoutes({ bus, snapshots, streams, settings, config, log }: AdminParts): Route[] {
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
    ...savedViewRoutes(bus),
    ...signInRoutes(bus, new SessionCookie(config.BASE_URI_PATH)),
    ...choosePasswordRoutes(),
    ...passwordRoutes(bus, publicUrl(config)),
    ...roleRoutes(bus),
    ...groupRoutes(bus),
    ...bannerRoutes(bus),
    ...projectAccessRoutes(bus),
    ...signalEndpointRoutes(bus, publicUrl(config)),
    ...actionSetRoutes(bus),
    ...signalListRoutes(bus),
    ...uiConfigRoutes(bus, settings, config),
    ...settingsRoutes(bus, settings, config),
    ...instanceStatusRoutes(bus),
    ...insightRoutes(bus),
    ...instanceStatisticsRoutes(bus),
    ...enterpriseRoutes(),
    ...consoleRoutes(log),
  ];
}
