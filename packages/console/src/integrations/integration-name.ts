import type { Integration, Provider } from './draft.ts';

/** The name of an integration: a system may have several of a provider. */
export function nameOf({ id, provider }: Integration, definition: Provider | undefined): string {
  return `${definition?.displayName ?? provider} ${id}`;
}
