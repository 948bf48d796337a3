import type { StrategyType, StrategyTypeParameter } from '@yardarm/shared/contracts/flags';

type Parameter = [name: string, type: StrategyTypeParameter['type'], description: string, required: boolean];

function builtIn(
  name: string,
  displayName: string,
  description: string,
  parameters: Parameter[],
  deprecated = false,
): StrategyType {
  return {
    ...{ name, displayName, description, title: null, editable: false, deprecated },
    parameters: parameters.map(([name, type, description, required]) => ({ name, type, description, required })),
  };
}

const share: Parameter = ['percentage', 'percentage', 'The share of the traffic', false];
const group: Parameter = ['groupId', 'string', 'Flags of one group select the same users', true];

/** The standard set, which every SDK knows. Nobody can change it. */
export const builtInTypes: readonly StrategyType[] = [
  builtIn('flexibleRollout', 'Gradual rollout', 'On for a share of the users, who keep their answer', [
    ['rollout', 'percentage', 'The share of the users', false],
    ['stickiness', 'string', 'The context field that decides: default, userId, sessionId, random or another', true],
    group,
  ]),
  builtIn('default', 'Standard', 'On for everybody', []),
  builtIn('remoteAddress', 'IPs', 'On for some addresses', [['IPs', 'list', 'The addresses', true]]),
  builtIn('applicationHostname', 'Hosts', 'On for some hosts', [
    ['hostNames', 'list', 'The names of the hosts', false],
  ]),
  builtIn('userWithId', 'UserIDs', 'On for some users', [['userIds', 'list', 'The ids of the users', false]], true),
  builtIn('gradualRolloutUserId', 'By user', 'On for a share of the signed-in users', [share, group], true),
  builtIn('gradualRolloutSessionId', 'By session', 'On for a share of the sessions', [share, group], true),
  builtIn('gradualRolloutRandom', 'Random', 'On for a share of the evaluations', [share], true),
];

const byName = new Map(builtInTypes.map((type) => [type.name, type]));

export function isBuiltIn(name: string): boolean {
  return byName.has(name);
}

/** The parameters of a built-in type that are a percentage. */
export function builtInPercentages(name: string): StrategyTypeParameter[] {
  return (byName.get(name)?.parameters ?? []).filter(({ type }) => type === 'percentage');
}

/** The values of parameters that the creator of a strategy does not send. */
export function builtInDefaults(name: string, featureName: string): Record<string, string> {
  return name === 'flexibleRollout' ? { rollout: '100', stickiness: 'default', groupId: featureName } : {};
}
