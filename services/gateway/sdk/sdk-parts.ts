import type { Bus } from '@yardarm/shared/bus';
import { disconnectStreamsHint } from '@yardarm/shared/contracts/gateway';
import type { Logger } from '@yardarm/shared/log';
import type { GatewayConfig } from '../config.ts';
import { openSdkStreams } from '../metrics.ts';
import { OpenStreams, sdkTokenOf } from '../routing/open-streams.ts';
import { RefetchStreams } from './ofrep/refetch-streams.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import { ScopeViews } from './snapshots/views.ts';
import { SdkStreams } from './streaming/sdk-streams.ts';
import { startUsage, type Usage } from './usage/usage.ts';

/** What only the routes of SDKs need: the state, its bodies, the streams of its changes, and what SDKs report. */
export interface SdkParts {
  snapshots: Snapshots;
  views: ScopeViews;
  /** Those of SDKs, and those of providers of OpenFeature, whose tickets every page hands out. */
  openStreams: readonly OpenStreams[];
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
  const ofSdks = openStreamsOf(limit, 1 / 2);
  const ofProviders = openStreamsOf(Math.ceil(limit / 4), 1 / 4);
  const openStreams = [ofSdks, ofProviders];
  bus.onHint(disconnectStreamsHint, () => {
    for (const streams of openStreams) streams.endAll();
  });
  return {
    ...{ snapshots, views, openStreams },
    sdkStreams: new SdkStreams(snapshots, views, ofSdks),
    refetchStreams: new RefetchStreams(snapshots, ofProviders),
    usage: startUsage(bus, log),
  };
}

/**
 * All instances of an application have the same token, and often the same address. So a token at an address has a large
 * share of the limit, but never all of it.
 */
function openStreamsOf(limit: number, share: number): OpenStreams {
  const limits = { limit, limitPerCaller: Math.ceil(limit * share), callerOf: sdkTokenOf };
  return new OpenStreams({ ...limits, whenFull: 'rate-limited', gauge: openSdkStreams });
}
