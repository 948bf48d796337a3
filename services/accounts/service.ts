import { randomUUID } from 'node:crypto';
import { connectBus } from '@yardarm/shared/bus';
import { createDatabase, startRelay } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import type { AccountsConfig } from './config.ts';
import type { AccountsTables } from './db/schema.ts';
import { keepTrying } from './initial-tokens/keep-trying.ts';
import { makeInitialTokens } from './initial-tokens/make-initial-tokens.ts';
import { serveAccounts } from './routes.ts';

/** Starts accounts: users, service accounts, roles and every token but signal tokens. */
export async function startAccounts(
  config: AccountsConfig,
  log: Logger,
  overrides: { connectBus?: typeof connectBus } = {},
): Promise<RunningService> {
  const db = createDatabase<AccountsTables>({
    url: config.DATABASE_URL,
    schema: 'accounts',
    log,
    maxConnections: config.DATABASE_MAX_CONNECTIONS,
    applicationName: 'yardarm-accounts',
  });
  const bus = await (overrides.connectBus ?? connectBus)({
    url: config.NATS_URL,
    name: 'accounts',
    prefix: config.YARDARM_PREFIX,
    log,
  });
  serveAccounts(bus, db);
  const relay = startRelay({ db, bus, source: 'accounts', log });
  const tokens = [...config.INIT_ADMIN_API_TOKENS, ...config.INIT_CLIENT_API_TOKENS];
  const requestId = randomUUID();
  const initialTokens = keepTrying('make the initial tokens', () => makeInitialTokens(db, tokens, requestId), log);

  await bus.flush();
  return {
    async health() {
      return {
        database: await db.ping().then(
          () => null,
          () => 'Postgres does not answer',
        ),
        bus: bus.state().connected ? null : 'not connected to NATS',
        initialTokens: initialTokens.fault(),
      };
    },
    async processAll() {
      await initialTokens.processAll();
      await relay.processAll();
    },
    async drain() {
      await initialTokens.stop();
      await relay.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
