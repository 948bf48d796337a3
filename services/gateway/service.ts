import { connectInBackground, connectBus as connectToNats } from '@yardarm/shared/bus';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { createAuthenticator } from './authentication/authenticator.ts';
import { startSeenTokens } from './authentication/seen-tokens.ts';
import { createSignalTokens } from './authentication/signal-tokens.ts';
import { createTokens } from './authentication/tokens.ts';
import { createUnknownTokenLimit } from './authentication/unknown-token-limit.ts';
import type { GatewayConfig } from './config.ts';
import { answerBefore } from './http/answer-now.ts';
import { createStreams } from './http/streams.ts';
import { RefetchStreams } from './ofrep/refetch-streams.ts';
import { routes } from './routes.ts';
import { readSdkCopy, startSdkCopy } from './sdk-copy/sdk-copy.ts';
import { createPublicApp, createPublicServer, drainServer, listen, serveApp } from './server.ts';
import { startSnapshots } from './snapshots/snapshots.ts';
import { Views } from './snapshots/views.ts';
import { OpenStreams } from './streaming/open-streams.ts';
import { SdkStreams } from './streaming/sdk-streams.ts';
import { startUsage } from './usage/usage.ts';

export interface RunningGateway extends RunningService {
  port: number;
}

const hourMs = 3_600_000;

/**
 * Starts the public listener before NATS is connected. Until then SDKs are answered from the copy in YARDARM_DATA_DIR,
 * and all that needs another service is 503.
 */
export async function startGateway(
  config: GatewayConfig,
  log: Logger,
  { connectBus = connectToNats } = {},
): Promise<RunningGateway> {
  const folder = config.YARDARM_DATA_DIR;
  const maxAgeMs = config.SDK_COPY_MAX_AGE_HOURS * hourMs;
  const copied = folder === undefined ? undefined : await readSdkCopy(folder, maxAgeMs, log);
  const natsOptions = { url: config.NATS_URL, name: 'gateway', prefix: config.YARDARM_PREFIX, log };
  const bus = connectInBackground(connectBus, natsOptions);
  const snapshots = startSnapshots(bus, log, copied?.environments);
  const views = new Views(config.LISTING_CACHE_BYTES);
  const openStreams = new OpenStreams(config.SDK_STREAM_LIMIT);
  const sdkStreams = new SdkStreams(snapshots, views, openStreams);
  const refetchStreams = new RefetchStreams(snapshots, openStreams);
  const limit = createUnknownTokenLimit(config.UNKNOWN_TOKEN_LIMIT_PER_MINUTE);
  const tokens = createTokens(bus, limit, { maxAgeMs, copied: copied?.tokens });
  bus.onStatus((isConnected) => {
    if (isConnected) void tokens.confirm();
  });
  const sdkCopy = folder === undefined ? null : startSdkCopy({ folder, maxAgeMs, snapshots, tokens, log });
  const seenTokens = startSeenTokens(bus, log);
  const usage = startUsage(bus, log);
  const authenticator = createAuthenticator(tokens, createSignalTokens(bus, limit), seenTokens);
  const health = async () => {
    const ofSnapshots = snapshots.health();
    const fault = bus.state().connected ? null : 'not connected to NATS';
    const canServe = typeof ofSnapshots !== 'string';
    return {
      bus: fault !== null && canServe ? { degraded: fault } : fault,
      snapshots: ofSnapshots,
      accounts: tokens.health(),
    };
  };
  const streams = createStreams({ requestTimeoutMs: config.REQUEST_TIMEOUT_MS });
  tokens.onChange(streams.reauthenticate);
  tokens.onChange((isAffected) => openStreams.recheck(isAffected));
  const mounting = {
    authenticate: authenticator.authenticate,
    streams,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    trustProxy: config.TRUST_PROXY,
    crossOrigin: { origins: config.UNLEASH_FRONTEND_API_ORIGINS, maxAgeSeconds: config.ACCESS_CONTROL_MAX_AGE },
    log,
  };
  const table = routes(bus, { snapshots, views, openStreams, sdkStreams, refetchStreams }, tokens, usage, config, log);
  const server = createPublicServer();
  const app = createPublicApp(table, health, mounting);
  serveApp(server, answerBefore(app, table, authenticator.authenticateNow));
  const port = await listen(server, config.HOST, config.PORT, log);
  return {
    port,
    health,
    async processAll() {
      await snapshots.synchronise();
      await Promise.all([seenTokens.send(), usage.send(), sdkCopy?.write()]);
    },
    async drain() {
      streams.stop();
      openStreams.stop();
      await drainServer(server);
      snapshots.stop();
      tokens.stop();
      await Promise.all([seenTokens.drain(), usage.drain(), sdkCopy?.drain()]);
    },
    stop: () => bus.drain(),
  };
}
