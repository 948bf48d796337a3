import { connectBus as connectToNats } from '@yardarm/shared/bus';
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
import { routes } from './routes.ts';
import { createPublicApp, createPublicServer, drainServer, listen, serveApp } from './server.ts';
import { startSnapshots } from './snapshots/snapshots.ts';
import { Views } from './snapshots/views.ts';
import { SdkStreams } from './streaming/sdk-streams.ts';
import { startUsage } from './usage/usage.ts';

export interface RunningGateway extends RunningService {
  port: number;
}

/** Starts the public listener before NATS is connected: until then it answers 503. */
export async function startGateway(
  config: GatewayConfig,
  log: Logger,
  { connectBus = connectToNats } = {},
): Promise<RunningGateway> {
  const server = createPublicServer(log);
  const port = await listen(server, config.HOST, config.PORT, log);
  const bus = await connectBus({ url: config.NATS_URL, name: 'gateway', prefix: config.YARDARM_PREFIX, log });
  const snapshots = startSnapshots(bus, log);
  const views = new Views(config.LISTING_CACHE_BYTES);
  const sdkStreams = new SdkStreams(snapshots, views, config.SDK_STREAM_LIMIT);
  const limit = createUnknownTokenLimit(config.UNKNOWN_TOKEN_LIMIT_PER_MINUTE);
  const tokens = createTokens(bus, limit);
  const seenTokens = startSeenTokens(bus, log);
  const usage = startUsage(bus, log);
  const authenticator = createAuthenticator(tokens, createSignalTokens(bus, limit), seenTokens);
  const health = async () => ({
    bus: bus.state().connected ? null : 'not connected to NATS',
    snapshots: snapshots.fault(),
  });
  await bus.flush();
  const streams = createStreams({ requestTimeoutMs: config.REQUEST_TIMEOUT_MS });
  tokens.onChange(streams.reauthenticate);
  tokens.onChange((isAffected) => sdkStreams.recheck(isAffected));
  const mounting = {
    authenticate: authenticator.authenticate,
    streams,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    trustProxy: config.TRUST_PROXY,
    crossOrigin: { origins: config.UNLEASH_FRONTEND_API_ORIGINS, maxAgeSeconds: config.ACCESS_CONTROL_MAX_AGE },
    log,
  };
  const table = routes(bus, { snapshots, views, sdkStreams }, tokens, usage, config, log);
  const app = createPublicApp(table, health, mounting);
  serveApp(server, answerBefore(app, table, authenticator.authenticateNow));
  return {
    port,
    health,
    async processAll() {
      await snapshots.synchronise();
      await Promise.all([seenTokens.send(), usage.send()]);
    },
    async drain() {
      streams.stop();
      sdkStreams.stop();
      await drainServer(server);
      snapshots.stop();
      await Promise.all([seenTokens.drain(), usage.drain()]);
    },
    stop: () => bus.drain(),
  };
}
