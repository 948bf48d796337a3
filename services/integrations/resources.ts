import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { Keyring } from '@yardarm/shared/encryption';
import type { IntegrationsTables } from './db/schema.ts';
import type { Providers } from './providers/index.ts';

export interface IntegrationsResources {
  bus: Bus;
  db: Database<IntegrationsTables>;
  providers: Providers;
  keys: Keyring;
  /** Checks these integrations for due deliveries. */
  schedule(integrationIds: readonly number[]): void;
}
