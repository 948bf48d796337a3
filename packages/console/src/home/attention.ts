import type { Schemas } from '../api/client.ts';
import { countOf } from '../ui/counts.ts';
import { isolated } from '../ui/direction.ts';

/** What needs somebody: a sentence, and where it is looked at. */
export interface Concern {
  key: string;
  says: string;
  to: '/integrations' | '/staleness' | '/signals' | '/events';
  search?: Record<string, string>;
  action: string;
}

interface Known {
  integrations: readonly Pick<Schemas['addonSchema'], 'id' | 'provider' | 'description' | 'enabled'>[];
  states: readonly Pick<Schemas['addonStateSchema'], 'integrationId' | 'circuit' | 'failures'>[];
  stale: number;
  potentiallyStale: number;
  /** How many signals since a day started nothing. `hasMore` if there are more of them. */
  unmatched: { count: number; hasMore: boolean; since: string };
  oldSdks: readonly { sdkVersion: string; applications: readonly string[] }[];
}

/** What needs attention, the most urgent first. */
export function concernsOf(known: Known): Concern[] {
  return [...failing(known), ...unmatched(known), ...oldSdks(known), ...stale(known)];
}

function failing({ integrations, states }: Known): Concern[] {
  return integrations.flatMap(({ id, provider, description, enabled }) => {
    const state = states.find(({ integrationId }) => integrationId === id);
    if (!enabled || state === undefined || (state.circuit === 'closed' && state.failures === 0)) return [];
    const name = `${provider} ${id}${description ? ` “${isolated(description)}”` : ''}`;
    const says =
      state.circuit === 'closed'
        ? `The integration ${name} fails.`
        : `The integration ${name} is paused, because it fails.`;
    return [{ key: `integration ${id}`, says, to: '/integrations' as const, action: 'See why' }];
  });
}

function unmatched({ unmatched: { count, hasMore, since } }: Known): Concern[] {
  if (count === 0) return [];
  const number = hasMore ? `More than ${count} signals` : countOf(count, 'signal');
  const says = `${number} since ${since} started no action.`;
  return [{ key: 'signals', says, to: '/signals', search: { ran: 'no', from: since }, action: 'See them' }];
}

function oldSdks({ oldSdks: sdks }: Known): Concern[] {
  return sdks.map(({ sdkVersion, applications }) => ({
    key: `sdk ${sdkVersion}`,
    says: `${sdkVersion} is out of date. It runs in ${applications.join(', ')}.`,
    to: '/events',
    search: { type: 'application-created' },
    action: 'See when they came',
  }));
}

function stale({ stale: count, potentiallyStale }: Known): Concern[] {
  if (count + potentiallyStale === 0) return [];
  const parts = [
    ...(count > 0 ? [`${countOf(count, 'flag')} marked stale`] : []),
    ...(potentiallyStale > 0 ? [`${countOf(potentiallyStale, 'flag')} older than their type lives`] : []),
  ];
  return [{ key: 'stale', says: `Time to clean up: ${parts.join(', and ')}.`, to: '/staleness', action: 'Clean up' }];
}
