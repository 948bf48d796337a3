import type { Bus } from '@yardarm/shared/bus';
import { defaultSettings } from '@yardarm/shared/contracts/settings';
import type { Logger } from '@yardarm/shared/log';
import { adminStreamLimits } from '../admin/events/stream-limits.ts';
import { createTokens } from '../auth/tokens.ts';
import { createUnknownTokenLimit } from '../auth/unknown-token-limit.ts';
import { loadGatewayConfig } from '../config.ts';
import { adminRoutes, sdkRoutes, signalRoutes } from '../routes.ts';
import { OpenStreams } from '../routing/open-streams.ts';
import type { Route } from '../routing/route.ts';
import { startSdkParts } from '../sdk/sdk-parts.ts';
import type { Snapshots } from '../sdk/snapshots/snapshots.ts';

/** All routes, by group, with the default settings. */
export function routeTables(bus: Bus, snapshots: Snapshots, log: Logger): Record<'admin' | 'sdk' | 'signals', Route[]> {
  const config = loadGatewayConfig({ NATS_URL: 'nats://unused' });
  const settings = { current: () => defaultSettings, refresh: async () => {} };
  const tokens = createTokens(bus, createUnknownTokenLimit(0));
  return {
    sdk: sdkRoutes(startSdkParts(bus, snapshots, config, log), tokens, config),
    signals: signalRoutes(bus, config),
    admin: adminRoutes({ bus, snapshots, streams: new OpenStreams(adminStreamLimits), settings, config, log }),
  };
}
