// What action sets refer to in flags and accounts, as those services answer it over the bus.
import type { Bus } from '@yardarm/shared/bus';
import type { Actor, Grant } from '@yardarm/shared/contracts';
import { resolveActor } from '@yardarm/shared/contracts/accounts';
import {
  environmentExample,
  featureSchema,
  findMissingProjectsAndEnvironments,
  getFeature,
  listProjectEnvironments,
  type Strategy,
  type VersionedFeature,
} from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';

interface DoubleFeature {
  archived: boolean;
  strategies: Record<string, string[]>;
}

export interface ReferencesDouble {
  /** The environments of each project. */
  projects: Map<string, string[]>;
  /** When projects were created that are not as old as the others. */
  createdAt: Map<string, string>;
  /** The flags of the project `default` and the ids of their strategies by environment. */
  features: Map<string, DoubleFeature>;
  /** The grants of service accounts, by id. */
  actors: Map<number, Grant[]>;
  isFlagsAway: boolean;
  isAccountsAway: boolean;
  /** Runs before accounts answers. */
  beforeActor: () => Promise<void>;
  /** How many requests flags and accounts got. */
  requests: number;
}

/** The id of a service account that may do everything in `default`. */
export const robotId = 41;

/** The id of the strategy of `checkout` in production. */
export const strategyId = '5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11';

export function serveReferences(bus: Bus): ReferencesDouble {
  const double: ReferencesDouble = {
    projects: new Map([
      ['default', ['development', 'production']],
      ['other', ['production']],
    ]),
    features: new Map<string, DoubleFeature>([
      ['checkout', { archived: false, strategies: { production: [strategyId] } }],
      ['old', { archived: true, strategies: {} }],
    ]),
    actors: new Map([
      [
        robotId,
        [
          {
            permissions: ['UPDATE_FEATURE', 'UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_STRATEGY'],
            projects: ['default'],
          },
        ],
      ],
    ]),
    createdAt: new Map(),
    ...{ isFlagsAway: false, isAccountsAway: false, beforeActor: async () => {}, requests: 0 },
  };
  const environmentsOf = (projectId: string): string[] => {
    double.requests += 1;
    if (double.isFlagsAway) throw new AppError('unavailable', 'flags is away.', { retryAfterSeconds: 1 });
    const environments = double.projects.get(projectId);
    if (environments) return environments;
    throw new AppError('not-found', `Could not find the project "${projectId}".`);
  };
  bus.serve(listProjectEnvironments, async ({ projectId }) => {
    const environments = environmentsOf(projectId);
    const all = [...new Set([...double.projects.values()].flat()), 'staging'];
    return {
      environments: all.map((name) => ({
        ...environmentExample,
        ...{ name, projectEnabledToggleCount: 0, visible: environments.includes(name) },
      })),
    };
  });
  bus.serve(findMissingProjectsAndEnvironments, async ({ projects }) => ({
    projects: projects.filter((id) => !double.projects.has(id)),
    environments: [],
    found: projects.flatMap((id) => {
      const createdAt = double.createdAt.get(id) ?? '2026-01-01T00:00:00.000Z';
      return double.projects.has(id) ? [{ kind: 'project' as const, id, createdAt }] : [];
    }),
  }));
  bus.serve(getFeature, async ({ projectId, featureName }) => {
    const environments = environmentsOf(projectId);
    const found = projectId === 'default' ? double.features.get(featureName) : undefined;
    if (!found) throw new AppError('not-found', `Could not find the flag "${featureName}".`);
    return featureOf(featureName, environments, found);
  });
  bus.serve(resolveActor, async ({ serviceAccountId: id }) => {
    double.requests += 1;
    if (double.isAccountsAway) throw new AppError('unavailable', 'accounts is away.', { retryAfterSeconds: 1 });
    const grants = double.actors.get(id);
    await double.beforeActor();
    const actor: Actor | null = grants ? { kind: 'service-account', id, username: `robot-${id}`, grants } : null;
    return { actor };
  });
  return double;
}

function featureOf(
  name: string,
  environments: readonly string[],
  { archived, strategies }: DoubleFeature,
): VersionedFeature {
  const { examples } = z.globalRegistry.get(featureSchema) as { examples: [VersionedFeature] };
  const [example] = examples;
  const [place] = example.environments;
  return {
    ...example,
    ...{ name, archived, version: 1 },
    environments: environments.map((environment) => ({
      ...place!,
      ...{ name: environment, environment, featureName: name },
      strategies: (strategies[environment] ?? []).map((id) => strategyOf(id, name)),
    })),
  };
}

function strategyOf(id: string, featureName: string): Strategy {
  return {
    ...{ id, featureName, name: 'flexibleRollout', title: null, disabled: false, sortOrder: 1 },
    ...{ parameters: {}, constraints: [], segments: [], variants: [] },
  };
}
