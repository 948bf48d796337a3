import type { Bus } from '@yardarm/shared/bus';
import { disconnectStreamsHint } from '@yardarm/shared/contracts/gateway';
import type { Logger } from '@yardarm/shared/log';
import type { GatewayConfig } from '../config.ts';
import { openSdkStreams } from '../metrics.ts';
import { OpenStreams } from '../routing/open-streams.ts';
import { RefetchStreams } from './ofrep/refetch-streams.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import { ScopeViews } from './snapshots/views.ts';
import { SdkStreams } from './streaming/sdk-streams.ts';
import { startUsage, type Usage } from './usage/usage.ts';

/** What only the routes of SDKs need: the state, its bodies, the streams of its changes, and what SDKs report. */
export interface SdkParts {
  snapshots: Snapshots;
  views: ScopeViews;
  openStreams: OpenStreams;
  sdkStreams: SdkStreams;
  refetchStreams: RefetchStreams;
  usage: Usage;
}

export function startSdkParts(
  bus: Bus,
  snapshots: Snapshots,
  config: Pick<GatewayConfig, 'LISTING_CACHE_BYTES' | 'SDK_STREAM_LIMIT'>,
  log: Logger,
): SdkParts {
  const views = new ScopeViews(config.LISTING_CACHE_BYTES);
  const limit = config.SDK_STREAM_LIMIT;
  const openStreams = new OpenStreams({ limit, whenFull: 'rate-limited', gauge: openSdkStreams });
  bus.onHint(disconnectStreamsHint, () => openStreams.endAll());
  return {
    ...{ snapshots, views, openStreams },
    sdkStreams: new SdkStreams(snapshots, views, openStreams),
    refetchStreams: new RefetchStreams(snapshots, openStreams),
    usage: startUsage(bus, log),
  };
}
