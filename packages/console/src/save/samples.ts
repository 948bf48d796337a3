import type { ConstraintDefinition, Context, SegmentDefinition, StrategyDefinition } from '@yardarm/evaluation/pure';

export const sampleCount = 1_000;

/** A generator of the same numbers for the same seed, so that the same users are asked before and after. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The values of each context field that strategies and segments name, and some that they do not. */
export function valuesOfFields(
  strategies: readonly StrategyDefinition[],
  segments: readonly SegmentDefinition[],
): Map<string, string[]> {
  const used = new Set(strategies.flatMap(({ segments = [] }) => segments));
  const constraints = [
    ...strategies.flatMap(({ constraints = [] }) => constraints),
    ...segments.filter(({ id }) => used.has(id)).flatMap(({ constraints = [] }) => constraints),
  ];
  const fields = new Map<string, Set<string>>();
  const add = (field: string, values: readonly string[]) => {
    const known = fields.get(field) ?? new Set();
    for (const value of values) known.add(value);
    fields.set(field, known);
  };
  for (const constraint of constraints) add(constraint.contextName, valuesNear(constraint));
  for (const { name, parameters = {}, variants = [] } of strategies) {
    if (name === 'userWithId') add('userId', listOf(parameters.userIds));
    if (name === 'remoteAddress') add('remoteAddress', listOf(parameters.IPs).map(addressOf));
    for (const field of [parameters.stickiness, variants[0]?.stickiness]) {
      if (field && field !== 'default' && field !== 'random') add(field, []);
    }
  }
  return new Map([...fields].map(([field, values]) => [field, [...values]]));
}

/** Random users. Half of the values of a field are those that the strategies name. */
export function sampleContexts(fields: ReadonlyMap<string, readonly string[]>, seed = 1): Context[] {
  const random = seeded(seed);
  const id = () => Math.floor(random() * 1e9).toString(36);
  return Array.from({ length: sampleCount }, () => {
    const context: Record<string, unknown> = { userId: id(), sessionId: id() };
    const properties: Record<string, string> = {};
    for (const [field, values] of fields) {
      const named = values[Math.floor(random() * values.length)];
      const isNamed = random() < 0.5;
      const value = isNamed && named !== undefined ? named : otherOf(field, id);
      if (value === undefined) continue;
      if (topFields.has(field)) context[field] = value;
      else properties[field] = value;
    }
    return { ...context, properties };
  });
}

/** The fields that are not among the properties of a context. */
export const topFields: ReadonlySet<string> = new Set([
  ...['userId', 'sessionId', 'remoteAddress', 'environment', 'appName', 'currentTime'],
]);

/** A value that no strategy names. Without a time of its own, a user asks now. */
function otherOf(field: string, id: () => string): string | undefined {
  return field === 'currentTime' ? undefined : id();
}

/** Values on both sides of the condition. */
function valuesNear({ operator, value = '', values = [] }: ConstraintDefinition): string[] {
  if (operator.startsWith('NUM_')) return [-1, 0, 1].map((difference) => String(Number(value) + difference));
  if (operator.startsWith('SEMVER_')) return ['0.0.1', value, '9999.0.0'];
  if (operator === 'IN_CIDR') return values.map(addressOf);
  if (!operator.startsWith('DATE_')) return operator === 'REGEX' ? [value] : [...values];
  const time = Date.parse(value);
  return Number.isNaN(time) ? [] : [-1, 1].map((days) => new Date(time + days * 86_400_000).toISOString());
}

const listOf = (text = '') => text.split(',').flatMap((part) => part.trim() || []);

const addressOf = (network: string) => network.split('/')[0]!;
