import { useSyncExternalStore } from 'react';
import type { LiveEvent } from './events.ts';

/** A change that arrived while this tab was open, for "switched by Ann at 12:03". */
export interface RecentChange {
  type: LiveEvent['type'];
  by: string;
  byUserId: number | null;
  at: string;
}

/** Enough for the rows of a screen and some hours of changes. The oldest are dropped. */
const limit = 500;

const changes = new Map<string, RecentChange>();
const listeners = new Set<() => void>();

const keyOf = (project: string, feature: string, environment: string | null | undefined) =>
  JSON.stringify([project, feature, environment ?? null]);

/** Keeps the last change of each flag and environment. */
export function rememberChange(event: LiveEvent): void {
  if (!event.project || !event.featureName) return;
  const key = keyOf(event.project, event.featureName, event.environment);
  changes.delete(key);
  changes.set(key, { type: event.type, by: event.createdBy, byUserId: event.createdByUserId, at: event.createdAt });
  if (changes.size > limit) changes.delete(changes.keys().next().value as string);
  for (const listener of listeners) listener();
}

/** The last change of a flag in an environment since this tab was opened. */
export function useRecentChange(project: string, feature: string, environment?: string): RecentChange | undefined {
  const key = keyOf(project, feature, environment);
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => changes.get(key),
  );
}
