import type { Bus } from '@yardarm/shared/bus';
import type { Logger } from '@yardarm/shared/log';
import { createTokens } from '../authentication/tokens.ts';
import { createUnknownTokenLimit } from '../authentication/unknown-token-limit.ts';
import { loadGatewayConfig } from '../config.ts';
import { adminStreamLimits } from '../events/stream-limits.ts';
import { OpenStreams } from '../http/open-streams.ts';
import type { Route } from '../http/route.ts';
import { adminRoutes, sdkRoutes, signalRoutes } from '../routes.ts';
import { startSdkParts } from '../sdk-parts.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';

/** All routes, by group, with the default settings. */
export function routeTables(bus: Bus, snapshots: Snapshots, log: Logger): Record<'admin' | 'sdk' | 'signals', Route[]> {
  const config = loadGatewayConfig({ NATS_URL: 'nats://unused' });
  const tokens = createTokens(bus, createUnknownTokenLimit(0));
  return {
    sdk: sdkRoutes(startSdkParts(bus, snapshots, config, log), tokens, config),
    signals: signalRoutes(bus, config),
    admin: adminRoutes(bus, snapshots, new OpenStreams(adminStreamLimits), config, log),
  };
}
