import type { GuardedClient } from '@yardarm/shared/http';
import type { IntegrationProvider } from './provider.ts';
import { webhookProvider } from './webhook/publisher.ts';

export type { IntegrationProvider, Parameters, Publication, Published } from './provider.ts';

export type Providers = ReadonlyMap<string, IntegrationProvider>;

/** Every provider by its name. A new one is a folder beside webhook/ and a line here. */
export function createProviders(client: GuardedClient): Providers {
  return new Map([webhookProvider(client)].map((provider) => [provider.definition.name, provider]));
}
