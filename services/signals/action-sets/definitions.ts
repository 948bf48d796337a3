import { type StepActionName, stepActionNames, stepActions, stepPermissions } from '@yardarm/shared/contracts/flags';
import type { ActionDefinition } from '@yardarm/shared/contracts/signals';

type Definitions = Record<StepActionName, ActionDefinition>;

const texts: Record<StepActionName, Pick<ActionDefinition, 'label' | 'description' | 'category'>> = {
  TOGGLE_FEATURE_ON: {
    ...{ label: 'Switch a flag on', category: 'Flags' },
    description: 'Switches a flag on in an environment.',
  },
  TOGGLE_FEATURE_OFF: {
    ...{ label: 'Switch a flag off', category: 'Flags' },
    description: 'Switches a flag off in an environment.',
  },
  TOGGLE_FEATURES_ON_BY_TAG: {
    ...{ label: 'Switch flags on by tag', category: 'Flags' },
    description: 'Switches all flags of the project that have a tag on in an environment.',
  },
  TOGGLE_FEATURES_OFF_BY_TAG: {
    ...{ label: 'Switch flags off by tag', category: 'Flags' },
    description: 'Switches all flags of the project that have a tag off in an environment.',
  },
  SET_ROLLOUT: {
    ...{ label: 'Set the rollout of a flag', category: 'Strategies' },
    description: 'Sets the percentage of a gradual rollout. The strategy is required if the flag has several.',
  },
  MARK_STALE: {
    ...{ label: 'Mark a flag as stale', category: 'Flags' },
    description: 'Marks a flag as stale.',
  },
  ENABLE_STRATEGY: {
    ...{ label: 'Enable a strategy', category: 'Strategies' },
    description: 'Enables a strategy of a flag in an environment.',
  },
  DISABLE_STRATEGY: {
    ...{ label: 'Disable a strategy', category: 'Strategies' },
    description: 'Disables a strategy of a flag in an environment.',
  },
};

const labels: Record<string, string> = {
  ...{ project: 'Project', environment: 'Environment', featureName: 'Flag' },
  ...{ tag: 'Tag', rollout: 'Rollout in percent', strategyId: 'Strategy' },
};

/**
 * The actions with their parameters, in the form of the public product. Consoles list the flags of a select without
 * options themselves: a project can have tens of thousands.
 */
export function definitionsOf(projectId: string, environments: readonly string[]): Definitions {
  const kinds: Record<string, Pick<ActionDefinition['parameters'][number], 'type' | 'options'>> = {
    project: { type: 'hidden', options: [projectId] },
    environment: { type: 'select', options: [...environments] },
    featureName: { type: 'select' },
  };
  const entries = stepActionNames.map((action): [StepActionName, ActionDefinition] => {
    const parameters = Object.entries(stepActions[action].shape).map(([name, schema]) => ({
      ...{ name, label: labels[name] ?? name, type: 'select' as const, ...kinds[name] },
      optional: schema.safeParse(undefined).success,
    }));
    return [action, { ...texts[action], permissions: [stepPermissions[action]], parameters }];
  });
  return Object.fromEntries(entries) as Definitions;
}
