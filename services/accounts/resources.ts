import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { AccountsConfig } from './config.ts';
import type { AccountsTables } from './db/schema.ts';
import type { Attempts } from './rate-limits/count-attempts.ts';
import type { ReadableSecrets } from './readable-secrets/readable-secrets.ts';

export interface AccountsResources {
  bus: Bus;
  db: Database<AccountsTables>;
  config: AccountsConfig;
  attempts: Attempts;
  secrets: ReadableSecrets;
  /** Null once the initial tokens are created, else the reason why not. */
  initialTokensProblem: () => string | null;
}
