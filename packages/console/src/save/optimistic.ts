import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import type { Schemas } from '../api/client.ts';
import { featureQuery } from '../api/queries.ts';
import type { FlagChange, Target } from './change.ts';
import { whenSent } from './in-order.ts';

type Pages = InfiniteData<Schemas['searchFeaturesSchema']>;

/**
 * Shows a switch as done in every list and on the flag's page. What the server says replaces it. A read that began
 * before would show the state before, so it is given up.
 */
export async function showAsDone(queries: QueryClient, target: Target, change: FlagChange): Promise<void> {
  if (change.kind !== 'switch') return;
  const isRead = { predicate: ({ state }: Query) => state.data !== undefined };
  await Promise.all([
    queries.cancelQueries({ queryKey: featureQuery(target.project, target.feature).queryKey, ...isRead }),
    queries.cancelQueries({ queryKey: ['features'], ...isRead }),
  ]);
  showSwitch(queries, target, change);
}

/** Shows what was before a change that was not made, or of which nobody knows. */
export function takeBack(queries: QueryClient, target: Target, change: FlagChange): void {
  if (change.kind === 'switch') showSwitch(queries, target, { ...change, isOn: !change.isOn });
}

function showSwitch(queries: QueryClient, target: Target, change: Extract<FlagChange, { kind: 'switch' }>): void {
  const switched = <E extends { name: string; enabled: boolean }>(environments: E[]): E[] =>
    environments.map((environment) =>
      environment.name === change.environment ? { ...environment, enabled: change.isOn } : environment,
    );
  queries.setQueryData(featureQuery(target.project, target.feature).queryKey, (feature) =>
    feature === undefined ? undefined : { ...feature, environments: switched(feature.environments) },
  );
  queries.setQueriesData<Pages>({ queryKey: ['features'] }, (found) => {
    if (found === undefined) return undefined;
    const pages = found.pages.map((page) => ({
      ...page,
      features: page.features.map((feature) =>
        feature.name === target.feature && feature.project === target.project
          ? { ...feature, environments: switched(feature.environments) }
          : feature,
      ),
    }));
    return { ...found, pages };
  });
}

/** Reads again what the change concerns, when no switch is on its way: it would be shown as it was before. */
export async function readAgain(queries: QueryClient, { project, feature }: Target): Promise<void> {
  await whenSent();
  await Promise.all([
    queries.invalidateQueries({ queryKey: featureQuery(project, feature).queryKey }),
    queries.invalidateQueries({ queryKey: ['features'] }),
    queries.invalidateQueries({ queryKey: ['project', project] }),
  ]);
}
