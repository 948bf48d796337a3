import { randomUUID } from 'node:crypto';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { settingsChangedHint } from '@yardarm/shared/contracts/settings';
import { startRelay } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { type RunningService, serveProcessStatus } from '@yardarm/shared/service';
import { type Overrides, openResources } from '@yardarm/shared/service/with-database';
import { type AccountsConfig, initialTokensOf } from './config.ts';
import { consumeFlags } from './consumers.ts';
import { migrations } from './db/migrations/index.ts';
import type { AccountsTables } from './db/schema.ts';
import { initialAdminOf } from './initial-admin/initial-admin-of.ts';
import { makeInitialAdmin } from './initial-admin/make-initial-admin.ts';
import { keepTrying } from './initial-tokens/keep-trying.ts';
import { makeInitialTokens } from './initial-tokens/make-initial-tokens.ts';
import { createAttempts } from './rate-limits/count-attempts.ts';
import { encryptSecretsAgain } from './readable-secrets/encrypt-again.ts';
import { readableSecretsOf } from './readable-secrets/readable-secrets.ts';
import { serveAccounts } from './routes.ts';
import { deleteExpiredRows, startExpirySweep } from './sweep.ts';
import { warnOfWeakSecrets } from './weak-secrets.ts';

export interface AccountsOverrides extends Overrides {
  /** Prints a generated password; the default is standard output. */
  printLine?(line: string): void;
  /** False starts the service without creating a first admin. */
  makesInitialAdmin?: boolean;
}

/** Starts accounts: users, service accounts, roles, and all tokens except signal tokens. */
export async function startAccounts(
  config: AccountsConfig,
  log: Logger,
  overrides: AccountsOverrides = {},
): Promise<RunningService> {
  warnOfWeakSecrets(config, log);
  const { db, bus, settings, health } = await openResources<AccountsTables>(migrations, config, log, overrides);
  const relay = startRelay({ db, bus, log });
  const secrets = readableSecretsOf(config);
  const sweep = startExpirySweep(db, secrets, log);
  const tokens = initialTokensOf(config);
  const admin = initialAdminOf(config, overrides.printLine ?? ((line) => process.stdout.write(`${line}\n`)));
  const requestId = randomUUID();
  const makeTokens = async () => {
    await makeInitialTokens({ db, secrets, log }, tokens, requestId);
    // A gateway may have cached a token as unknown before it was created.
    for (const { selector } of tokens) bus.hint(tokenChangedHint, { selector });
  };
  const makeAdmin = async () => {
    if (overrides.makesInitialAdmin ?? true) await makeInitialAdmin({ db, log }, admin, requestId);
  };
  let undecryptable = 0;
  const encryptAgain = async () => {
    undecryptable = await encryptSecretsAgain(db, secrets, log);
  };
  const encryption = keepTrying('encrypt the secrets of API tokens with the current key', encryptAgain, log);
  const initialTokens = keepTrying('make the initial tokens', makeTokens, log);
  const attempts = createAttempts(db.kysely, config);
  serveAccounts({ bus, db, config, attempts, secrets, initialTokensProblem: initialTokens.problem });
  const consumptions = await consumeFlags(bus, { bus, db });
  const initialAdmin = keepTrying('make the first admin', makeAdmin, log);

  const healthOfAll = async () => ({
    ...(await health()),
    initialTokens: initialTokens.problem(),
    initialAdmin: initialAdmin.problem(),
    ...unreadableSecrets(undecryptable),
  });
  serveProcessStatus(bus, 'accounts', healthOfAll);
  await bus.flush();
  // Services that started earlier learn the settings.
  bus.hint(settingsChangedHint, {});
  return {
    health: healthOfAll,
    async processAll() {
      await encryption.processAll();
      await initialTokens.processAll();
      await initialAdmin.processAll();
      await deleteExpiredRows(db, secrets);
      await Promise.all(consumptions.map((consumption) => consumption.processAll()));
      await relay.processAll();
    },
    async drain() {
      settings.stop();
      await encryption.stop();
      await initialTokens.stop();
      await initialAdmin.stop();
      await sweep.stop();
      await Promise.all(consumptions.map((consumption) => consumption.stop()));
      await relay.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}

/** The part of the health that says that secrets cannot be read. The tokens work, so the service is ready. */
function unreadableSecrets(count: number): { readableTokens?: { degraded: string } } {
  if (count === 0) return {};
  const degraded =
    `the secrets of ${count} API tokens are encrypted with a key that this process does not have; the tokens work, and lists ` +
    'show no secret; give the key as ACCOUNTS_ENCRYPTION_KEY, or in ACCOUNTS_ENCRYPTION_OTHER_KEYS after a rotation';
  return { readableTokens: { degraded } };
}
