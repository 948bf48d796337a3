import type { Schemas } from '../api/client.ts';
import { isolated } from '../ui/direction.ts';

type Strategy = Pick<Schemas['featureStrategySchema'], 'name' | 'parameters' | 'constraints' | 'segments'>;
type Constraint = NonNullable<Strategy['constraints']>[number];

/** The meaning of each operator between a field and its values. */
const verbs: Record<Constraint['operator'], [plain: string, inverted: string]> = {
  IN: ['is', 'is not'],
  NOT_IN: ['is not', 'is'],
  STR_CONTAINS: ['contains', 'does not contain'],
  STR_STARTS_WITH: ['starts with', 'does not start with'],
  STR_ENDS_WITH: ['ends with', 'does not end with'],
  NUM_EQ: ['=', '≠'],
  NUM_GT: ['>', 'is not >'],
  NUM_GTE: ['≥', 'is not ≥'],
  NUM_LT: ['<', 'is not <'],
  NUM_LTE: ['≤', 'is not ≤'],
  DATE_AFTER: ['is after', 'is not after'],
  DATE_BEFORE: ['is before', 'is not before'],
  SEMVER_EQ: ['is version', 'is not version'],
  SEMVER_GT: ['is above version', 'is not above version'],
  SEMVER_LT: ['is below version', 'is not below version'],
  SEMVER_GTE: ['is version or above', 'is below version'],
  SEMVER_LTE: ['is version or below', 'is above version'],
  IN_CIDR: ['is in the network', 'is not in the network'],
  REGEX: ['matches', 'does not match'],
};

/** The parameters of the built-in strategies, as people call them. */
export const parameterWords: Readonly<Record<string, string>> = {
  rollout: 'rollout',
  percentage: 'rollout',
  groupId: 'group',
  stickiness: 'stickiness',
  IPs: 'addresses',
  hostNames: 'hosts',
  userIds: 'users',
};

/** More values are counted. */
const namedValues = 3;

type ConstraintOfWords = Pick<Constraint, 'contextName' | 'operator' | 'inverted' | 'values' | 'value'> & {
  /** When `values` are the first of more. */
  valueCount?: number;
};

/** As in `country is NO or SE`. */
export function constraintInWords(constraint: ConstraintOfWords): string {
  const { contextName, operator, inverted, values = [], value } = constraint;
  const verb = verbs[operator]?.[inverted ? 1 : 0] ?? operator;
  const all = values.length > 0 ? values : [value || '…'];
  const rest = (constraint.valueCount ?? all.length) - namedValues;
  return `${isolated(contextName)} ${verb} ${all.slice(0, namedValues).map(isolated).join(' or ')}${rest > 0 ? ` or ${rest} more` : ''}`;
}

function whoOf({ name, parameters = {} }: Strategy): string {
  const list = (text: string | undefined) =>
    (text ?? '')
      .split(',')
      .map((part) => isolated(part.trim()))
      .filter(Boolean)
      .join(', ');
  switch (name) {
    case 'default':
      return 'everybody';
    case 'flexibleRollout':
      return Number(parameters.rollout) === 100 ? 'everybody' : `${parameters.rollout ?? '0'} %`;
    case 'userWithId':
      return `the users ${list(parameters.userIds)}`;
    case 'remoteAddress':
      return `the addresses ${list(parameters.IPs)}`;
    case 'applicationHostname':
      return `the hosts ${list(parameters.hostNames)}`;
    case 'gradualRolloutRandom':
    case 'gradualRolloutUserId':
    case 'gradualRolloutSessionId':
      return `${parameters.percentage ?? '0'} %`;
    default:
      return `strategy ${name}`;
  }
}

/** The names of segments by id. One that is not known is named by its id. */
export type SegmentNames = ReadonlyMap<number, string>;

const noNames: SegmentNames = new Map();

/** The names of the segments that an answer of the API lists. */
export function segmentNamesIn(
  answer: { segments: readonly { id: number; name: string }[] } | undefined,
): SegmentNames {
  return new Map(answer?.segments.map(({ id, name }) => [id, name]));
}

/** For whom a strategy is on, as in `25 % in the segment beta where country is NO`. */
export function inWords(strategy: Strategy, names: SegmentNames = noNames): string {
  const { constraints = [], segments = [] } = strategy;
  const named = segments.map((id) => isolated(names.get(id) ?? `number ${id}`));
  const inSegments =
    named.length > 0 ? ` in the ${named.length === 1 ? 'segment' : 'segments'} ${named.join(' and ')}` : '';
  const where = constraints.length > 0 ? ` where ${constraints.map(constraintInWords).join(' and ')}` : '';
  return `${whoOf(strategy)}${inSegments}${where}`;
}
