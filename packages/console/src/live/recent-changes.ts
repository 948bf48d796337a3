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

/** The last change of each type, the newest last, for each flag and environment. */
const changes = new Map<string, Map<RecentChange['type'], RecentChange>>();
const listeners = new Set<() => void>();

const keyOf = (project: string, feature: string, environment: string | undefined) =>
  JSON.stringify([project, feature, environment ?? null]);

export function rememberChange(event: LiveEvent): void {
  const { type, project, featureName, environment, createdBy, createdByUserId, createdAt } = event;
  if (!project || !featureName) return;
  const key = keyOf(project, featureName, environment ?? undefined);
  const ofTypes = new Map(changes.get(key));
  ofTypes.delete(type);
  ofTypes.set(type, { type, by: createdBy, byUserId: createdByUserId, at: createdAt });
  changes.delete(key);
  changes.set(key, ofTypes);
  if (changes.size > limit) changes.delete(changes.keys().next().value as string);
  for (const listener of listeners) listener();
}

/** After a gap in the stream a remembered change may not be the last one any more. */
export function forgetChanges(): void {
  changes.clear();
  for (const listener of listeners) listener();
}

/** The last change of a flag in an environment, or of the flag itself; only of the given types, if there are any. */
export function recentChange(
  project: string,
  feature: string,
  environment: string | undefined,
  types?: readonly RecentChange['type'][],
): RecentChange | undefined {
  const ofTypes = changes.get(keyOf(project, feature, environment))?.values() ?? [];
  return [...ofTypes].findLast(({ type }) => types === undefined || types.includes(type));
}

export function useRecentChange(...wanted: Parameters<typeof recentChange>): RecentChange | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => recentChange(...wanted),
  );
}
