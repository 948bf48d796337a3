import { randomUUID } from 'node:crypto';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { startRelay } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { type Overrides, openGround } from '@yardarm/shared/service/with-database';
import { type AccountsConfig, initialTokensOf } from './config.ts';
import type { AccountsTables } from './db/schema.ts';
import { keepTrying } from './initial-tokens/keep-trying.ts';
import { makeInitialTokens } from './initial-tokens/make-initial-tokens.ts';
import { serveAccounts } from './routes.ts';
import { startSweep } from './sweep.ts';

/** Starts accounts: users, service accounts, roles and every token but signal tokens. */
export async function startAccounts(
  config: AccountsConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<RunningService> {
  const { db, bus, health } = await openGround<AccountsTables>('accounts', config, log, overrides);
  serveAccounts(bus, db, config);
  const relay = startRelay({ db, bus, source: 'accounts', log });
  const sweep = startSweep(db, log);
  const tokens = initialTokensOf(config);
  const requestId = randomUUID();
  const makeAndTell = async () => {
    await makeInitialTokens({ db, log }, tokens, requestId);
    // A gateway that was asked for one too early remembers that it is unknown.
    for (const { selector } of tokens) bus.hint(tokenChangedHint, { selector });
  };
  const initialTokens = keepTrying('make the initial tokens', makeAndTell, log);
  serveAccounts({ bus, db, config, initialTokensFault: initialTokens.fault });

  await bus.flush();
  return {
    health: async () => ({ ...(await health()), initialTokens: initialTokens.fault() }),
    async processAll() {
      await initialTokens.processAll();
      await sweep.processAll();
      await relay.processAll();
    },
    async drain() {
      await initialTokens.stop();
      await sweep.stop();
      await relay.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
