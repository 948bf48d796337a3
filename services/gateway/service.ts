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

/** A started gateway; `port` is the public listener's. */
export interface RunningGateway extends RunningService {
  port: number;
}

/** Starts the gateway: the public listener, which says that it is not ready until NATS is there, the bus, the copy of the flags. */
export async function startGateway(
  config: GatewayConfig,
  log: Logger,
  { connectBus = connectToNats } = {},
): Promise<RunningGateway> {
  const server = createPublicServer(log);
  const port = await listen(server, config.HOST, config.PORT, log);
  const bus = await connectBus({ url: config.NATS_URL, name: 'gateway', prefix: config.YARDARM_PREFIX, log });
  const snapshots = startSnapshots(bus, log);
  const limit = createUnknownTokenLimit(config.UNKNOWN_TOKEN_LIMIT_PER_MINUTE);
  const tokens = createTokens(bus, limit);
  const seen = startSeenTokens(bus, log);
  const authenticator = createAuthenticator(tokens, createSignalTokens(bus, limit), seen);
  const health = async () => ({
    bus: bus.state().connected ? null : 'not connected to NATS',
    snapshots: snapshots.fault(),
  });
  await bus.flush();
  const streams = createStreams({ requestTimeoutMs: config.REQUEST_TIMEOUT_MS });
  tokens.onChange(streams.authRequest);
  const mounting = {
    authenticate: authenticator.authenticate,
    streams,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    trustProxy: config.TRUST_PROXY,
    log,
  };
  const table = routes(bus, snapshots, tokens, config);
  const app = createPublicApp(table, health, mounting);
  serveApp(server, answerBefore(app, table, authenticator.authenticateNow));
  return {
    port,
    health,
    async processAll() {
      await snapshots.synchronise();
      await seen.send();
    },
    async drain() {
      streams.stop();
      await drainServer(server);
      snapshots.stop();
      await seen.drain();
    },
    stop: () => bus.drain(),
  };
}
