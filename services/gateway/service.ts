import { connectInBackground, connectBus as connectToNats } from '@yardarm/shared/bus';
import type { Logger } from '@yardarm/shared/log';
import { followSettings, natsOptions, type RunningService, serveProcessStatus } from '@yardarm/shared/service';
import { adminStreamLimits } from './admin/events/stream-limits.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { startSeenTokens } from './auth/seen-tokens.ts';
import { SessionCookie } from './auth/session-cookie.ts';
import { createSignalTokens } from './auth/signal-tokens.ts';
import { createTokens } from './auth/tokens.ts';
import { createUnknownTokenLimit } from './auth/unknown-token-limit.ts';
import { allowedHosts, connectionsPerAddress, type GatewayConfig } from './config.ts';
import { frontendApiOrigins } from './frontend-api-origins.ts';
import { healthOf } from './health.ts';
import type { Intervals } from './intervals.ts';
import { createHostCheck } from './listener/allowed-hosts.ts';
import { requireDistinct, underBasePath } from './listener/base-path.ts';
import { answerHotReads } from './listener/hot-reads.ts';
import { mergeSlashes } from './listener/merge-slashes.ts';
import { answerCrowdsInTurns, answerOpeningsInTurns, createCallerOf } from './listener/request-turns.ts';
import {
  createPublicApp,
  createPublicServer,
  drainServer,
  listen,
  otherPaths,
  serveApp,
  warnOfUntrustedProxy,
} from './listener/server.ts';
import { measureSnapshots } from './metrics.ts';
import { readConsole } from './pages/console/console.ts';
import { adminRoutes, sdkRoutes, signalRoutes } from './routes.ts';
import { createAnswers } from './routing/answering.ts';
import { OpenStreams } from './routing/open-streams.ts';
import { readDiskCopy, startDiskCopy } from './sdk/disk-copy/disk-copy.ts';
import { startSdkParts } from './sdk/sdk-parts.ts';
import { startSnapshots } from './sdk/snapshots/snapshots.ts';
import { startSignalsHealth } from './signals/signals-health.ts';

export interface RunningGateway extends RunningService {
  port: number;
}

export interface GatewayOverrides {
  connectBus?: typeof connectToNats;
  /** Shorter times than those of production. */
  intervals?: Partial<Intervals>;
}

const hourMs = 3_600_000;

/**
 * Starts the public listener before NATS is connected. Until then SDKs are answered from the copy in YARDARM_DATA_DIR,
 * and all that needs another service is 503. Each route group has its parts: a gateway that serves only signals has no
 * snapshots and no copy, and one without SDKs asks flags only for the types of flags. The console needs no other
 * service: its pages are clients of the routes of administrators.
 */
export async function startGateway(
  config: GatewayConfig,
  log: Logger,
  { connectBus = connectToNats, intervals = {} }: GatewayOverrides = {},
): Promise<RunningGateway> {
  const groups = config.GATEWAY_ROUTE_GROUPS;
  const basePath = config.BASE_URI_PATH;
  const isReadBySdks = groups.has('sdk');
  const folder = isReadBySdks ? config.YARDARM_DATA_DIR : undefined;
  const maxAgeMs = config.SDK_COPY_MAX_AGE_HOURS * hourMs;
  const diskCopy = folder === undefined ? undefined : await readDiskCopy(folder, maxAgeMs, log);
  const isOfConsole = groups.has('console') && config.CONSOLE_DIR !== '';
  const servedConsole = isOfConsole ? readConsole(config.CONSOLE_DIR, basePath) : undefined;
  const bus = connectInBackground(connectBus, natsOptions(config, 'gateway', log));
  const settings = followSettings(bus, log, diskCopy?.settings);
  const asksFlags = isReadBySdks || groups.has('admin');
  const snapshots = asksFlags
    ? startSnapshots(bus, log, {
        ...{ diskCopy: diskCopy?.environments, holdsFlags: isReadBySdks, pollMs: intervals.snapshotPollMs },
        environmentsOfTokens: (diskCopy?.tokens ?? []).flatMap(({ token }) => token.environment ?? []),
        firstLoadMs: intervals.firstLoadMs,
      })
    : null;
  const endMeasurement = snapshots && isReadBySdks ? measureSnapshots(snapshots) : null;
  const signalsHealth = groups.has('signals') && !asksFlags ? startSignalsHealth(bus) : null;
  const sdk = isReadBySdks && snapshots ? startSdkParts(bus, snapshots, config, log) : null;
  const limit = createUnknownTokenLimit(config.UNKNOWN_TOKEN_LIMIT_PER_MINUTE);
  const tokens = createTokens(bus, limit, { maxAgeMs, diskCopy: diskCopy?.tokens, isReadBySdks });
  bus.onStatus((isConnected) => {
    if (isConnected) void tokens.confirm();
  });
  const diskCopyWriter =
    folder !== undefined && sdk ? startDiskCopy({ ...sdk, folder, maxAgeMs, tokens, settings, log }) : null;
  const seenTokens = startSeenTokens(bus, log);
  const signalTokens = groups.has('signals') ? createSignalTokens(bus, limit) : null;
  const authenticator = createAuthenticator(tokens, signalTokens, seenTokens, new SessionCookie(basePath));
  const partsHealth = healthOf({ bus, snapshots, tokens, signals: signalsHealth, isReadBySdks });
  const health = async () => partsHealth();
  serveProcessStatus(bus, 'gateway', health);
  const adminStreams = new OpenStreams(adminStreamLimits);
  const allStreams = [adminStreams, ...(sdk?.openStreams ?? [])];
  tokens.onChange((isAffected) => {
    for (const streams of allStreams) streams.recheck(isAffected);
  });
  const crossOrigin = {
    origins: () => frontendApiOrigins(config, settings),
    maxAgeSeconds: config.ACCESS_CONTROL_MAX_AGE,
  };
  const checkHost = createHostCheck(allowedHosts(config));
  const requestTimeoutMs = config.REQUEST_TIMEOUT_MS;
  const answerOf = createAnswers({
    ...{ authenticate: authenticator.authenticate, admit: settings.requireWritable },
    ...{ requestTimeoutMs, basePath, log },
  });
  const table = [
    ...(sdk ? sdkRoutes(sdk, tokens, config) : []),
    ...(groups.has('signals') ? signalRoutes(bus, config) : []),
    ...(groups.has('admin') && snapshots
      ? adminRoutes({ bus, snapshots, streams: adminStreams, settings, config, log })
      : []),
  ];
  requireDistinct(basePath, [...otherPaths, '/assets', ...table.map(({ path }) => path)]);
  const server = createPublicServer({
    connections: config.CONNECTION_LIMIT,
    perAddress: connectionsPerAddress(config),
  });
  const app = createPublicApp(table, partsHealth, {
    ...{ answerOf, checkHost, console: servedConsole, requestTimeoutMs, basePath, log, trustProxy: config.TRUST_PROXY },
    // Else a preflight would be answered on paths without a route.
    ...(isReadBySdks && { crossOrigin }),
  });
  const isTrusted: (address: string, index: number) => boolean = app.get('trust proxy fn');
  const callerOf = createCallerOf(isTrusted, authenticator.acceptedToken);
  const hotReads = answerHotReads(app, table, { answerOf, checkHost, isTrusted });
  const inTurns = answerOpeningsInTurns(answerCrowdsInTurns(hotReads, callerOf), callerOf);
  serveApp(server, underBasePath(basePath, mergeSlashes(inTurns)));
  if (config.TRUST_PROXY === undefined) warnOfUntrustedProxy(server, log);
  const port = await listen(server, config.HOST, config.PORT, log);
  return {
    port,
    health,
    async processAll() {
      await snapshots?.synchronise();
      await Promise.all([seenTokens.send(), sdk?.usage.send(), diskCopyWriter?.write()]);
    },
    async drain() {
      for (const streams of allStreams) streams.stop();
      await drainServer(server, intervals);
      endMeasurement?.();
      snapshots?.stop();
      signalsHealth?.stop();
      tokens.stop();
      settings.stop();
      signalTokens?.stop();
      await Promise.all([seenTokens.drain(), sdk?.usage.drain(), diskCopyWriter?.drain()]);
    },
    stop: () => bus.drain(),
  };
}
