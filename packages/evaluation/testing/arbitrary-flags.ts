// Flags, segments and contexts with values that meet often. They have what unleash-client evaluates without an error.
import fc from 'fast-check';
import type {
  ConstraintDefinition,
  FlagDefinition,
  SegmentDefinition,
  StrategyDefinition,
  VariantDefinition,
} from '../definitions.ts';

/** As many as make dependencies and segments meet, with one more name and id that nothing has. */
const flagNames = ['f0', 'f1', 'f2', 'f3'];
const segmentIds = [1, 2, 3];
const anyFlagName = fc.constantFrom(...flagNames, 'missing');
const anySegmentId = fc.constantFrom(...segmentIds, 4);

const fields = ['userId', 'sessionId', 'remoteAddress', 'appName', 'environment', 'country', 'größe'];

const words = ['', ' ', 'a', 'b', 'A', 'ab', ' b ', 'Ärger', 'ärger', '😊', '7', '12', 'a/b', 'e\u0301'];
const numbers = ['', ' ', '0', '-1', '5', '5.0', '1e1', '0x10', 'abc', ' 7 ', 'Infinity', '-0'];
const versions = [
  '',
  '1.2.3',
  '1.2.4',
  'v1.2.3',
  ' 1.2.3',
  ' v1.2.3',
  '1.2.3-beta.1',
  '1.2.3-beta.2+b',
  '1.2',
  '2.0.0',
];
const dates = [
  '',
  '2020-01-01',
  '2021-06-01T12:00:00Z',
  '2021-06-01T14:00:00+02:00',
  'tomorrow',
  '+275761-01-01T00:00:00Z',
];
const patterns = ['', '^a', 'b$', '(a|b)+', '[', '(?i)A', '\\d{2}', '^\\p{L}+$', '(?=a)'];
const addresses = [
  '10.0.0.1',
  '10.1.2.3',
  '192.168.1.255',
  '2001:db8::1',
  '2001:DB8:0::1',
  '::ffff:10.0.0.1',
  '::',
  'x',
];
const networks = [
  '10.0.0.0/8',
  '10.0.0.1/32',
  '0.0.0.0/0',
  '10.0.0.1',
  '2001:db8::/32',
  '::/0',
  '::ffff:0:0/96',
  '1.2.3',
];
const hosts = ['here', 'HERE', 'there'];

const text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, fc.string({ unit: 'binary', maxLength: 8 }));
const listOf = (items: readonly string[]) => fc.array(fc.constantFrom(...items), { maxLength: 4 });
const joined = (items: readonly string[]) =>
  fc.tuple(listOf(items), fc.constantFrom(',', ', ', ' , ')).map(([list, comma]) => list.join(comma));

function constraintsWith(operators: readonly string[], operands: { values?: string[]; value?: string[] }) {
  return fc.record({
    contextName: fc.oneof(fc.constantFrom(...fields), text.filter(isOrdinary)),
    operator: fc.constantFrom(...operators),
    caseInsensitive: fc.boolean(),
    inverted: fc.boolean(),
    values: operands.values ? listOf(operands.values) : fc.constant([]),
    value: operands.value ? fc.constantFrom(...operands.value) : fc.constant(''),
  });
}

/** unleash-client also reads what every object inherits, such as `constructor`. */
const isOrdinary = (field: string) => !(field in Object.prototype);

const constraint: fc.Arbitrary<ConstraintDefinition> = fc.oneof(
  constraintsWith(['IN', 'NOT_IN', 'STR_STARTS_WITH', 'STR_ENDS_WITH', 'STR_CONTAINS'], { values: words }),
  constraintsWith(['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'], { value: numbers }),
  constraintsWith(['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_GTE', 'SEMVER_LT', 'SEMVER_LTE'], { value: versions }),
  constraintsWith(['DATE_AFTER', 'DATE_BEFORE'], { value: dates }),
  constraintsWith(['REGEX'], { value: patterns }),
  constraintsWith(['IN_CIDR'], { values: networks }),
  constraintsWith(['NOT_IN_CIDR', 'constructor', ''], { values: words }),
);

const stickiness = fc.constantFrom('default', 'random', 'userId', 'sessionId', 'country', '');

const variant: fc.Arbitrary<VariantDefinition> = fc.record(
  {
    name: fc.constantFrom('red', 'green', 'blue'),
    weight: fc.constantFrom(0, 1, 333, 500, 1000),
    stickiness,
    payload: fc.record({ type: fc.constant('string'), value: text }),
    overrides: fc.array(fc.record({ contextName: fc.constantFrom(...fields), values: listOf(words) }), {
      maxLength: 2,
    }),
  },
  { requiredKeys: ['name', 'weight'] },
);
const variants = fc.array(variant, { maxLength: 3 });

const percentage = fc.constantFrom('0', '1', '33', '50', '99', '100', '', 'x', '-1', '33.5');
const groupId = fc.oneof(fc.constantFrom('', 'g', 'gr', 'gro', 'grou'), text);

const parametersOf: Readonly<Record<string, fc.Arbitrary<Record<string, string>>>> = {
  default: fc.record({ groupId, stickiness }, { requiredKeys: [] }),
  userWithId: fc.record({ userIds: joined(words) }, { requiredKeys: [] }),
  flexibleRollout: fc.record({ rollout: percentage, groupId, stickiness }, { requiredKeys: [] }),
  gradualRolloutUserId: fc.record({ percentage, groupId }, { requiredKeys: [] }),
  gradualRolloutSessionId: fc.record({ percentage, groupId }, { requiredKeys: [] }),
  gradualRolloutRandom: fc.record({ percentage, groupId }, { requiredKeys: [] }),
  remoteAddress: fc.record({ IPs: joined([...addresses, ...networks]) }, { requiredKeys: [] }),
  applicationHostname: fc.record({ hostNames: joined(hosts) }, { requiredKeys: [] }),
  ownStrategy: fc.constant({}),
};

const strategy: fc.Arbitrary<StrategyDefinition> = fc.constantFrom(...Object.keys(parametersOf)).chain((name) =>
  fc.record(
    {
      name: fc.constant(name),
      parameters: parametersOf[name]!,
      constraints: fc.array(constraint, { maxLength: 2 }),
      segments: fc.array(anySegmentId, { maxLength: 2 }),
      variants,
    },
    { requiredKeys: ['name', 'parameters'] },
  ),
);

const flag = (name: string): fc.Arbitrary<FlagDefinition> =>
  fc.record(
    {
      name: fc.constant(name),
      enabled: fc.constantFrom(true, true, true, false),
      strategies: fc.array(strategy, { maxLength: 3 }),
      variants,
      dependencies: fc.array(
        fc.record(
          { feature: anyFlagName, enabled: fc.boolean(), variants: listOf(['red', 'green', 'disabled']) },
          { requiredKeys: ['feature'] },
        ),
        { maxLength: 1 },
      ),
    },
    { requiredKeys: ['name', 'enabled', 'strategies'] },
  );

const segment = (id: number): fc.Arbitrary<SegmentDefinition> =>
  fc.record({ id: fc.constant(id), constraints: fc.array(constraint, { maxLength: 2 }) });

export const arbitraryFeatures = fc.tuple(...flagNames.map(flag));
export const arbitrarySegments = fc.tuple(...segmentIds.map(segment));

const value = fc.oneof(text, fc.constantFrom(...numbers), fc.constantFrom(...versions), fc.constantFrom(...addresses));

/** Applications send ids that are no texts, although the SDK's types do not allow them. */
const id = fc.oneof(value, fc.constantFrom(0, 7, true, false));

export const arbitraryContext = fc.record(
  {
    userId: id,
    sessionId: id,
    remoteAddress: fc.constantFrom(...addresses, ''),
    appName: value,
    environment: value,
    country: id,
    currentTime: fc.constantFrom(...dates.slice(1, -1), '2020-06-01').map((date) => new Date(date)),
    properties: fc.dictionary(
      fc.constantFrom(...fields, ...words),
      fc.oneof(value, fc.integer(), fc.constant(undefined)),
      { maxKeys: 4 },
    ),
  },
  { requiredKeys: [] },
);
