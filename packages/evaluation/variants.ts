import type { Budget } from './budget.ts';
import { type Context, fieldReader, type ReadField } from './context.ts';
import type { VariantDefinition } from './definitions.ts';
import type { Evaluation } from './evaluation.ts';
import { prefixedHash } from './murmur.ts';

export type ChooseVariant = (context: Context, budget: Budget) => Evaluation;

/** Of the public product. It makes the buckets of variants independent of those of rollouts. */
const variantSeed = 86028157;

/** Reading a field and looking up its text takes some 50 ns. */
const stepsOfOverride = 5;

/**
 * Prepares the choice among variants, each with the probability of its weight. Null if they have no weight. The first
 * variant decides the stickiness.
 */
export function compileVariants(
  groupId: string,
  stickiness: string | undefined,
  variants: readonly VariantDefinition[],
  random: () => number,
): ChooseVariant | null {
  const totalWeight = variants.reduce((sum, { weight }) => sum + weight, 0);
  const evaluations = variants.map(evaluationWith);
  const weighted = variants.flatMap(({ weight }, index) =>
    weight > 0 ? [{ weight, evaluation: evaluations[index]! }] : [],
  );
  const last = weighted.pop();
  if (last === undefined) return null;
  const overrides = variants.flatMap(({ overrides = [] }, index) =>
    overrides.map(({ contextName, values }) => ({
      read: fieldReader(contextName),
      values: new Set(values),
      evaluation: evaluations[index]!,
    })),
  );
  const hash = prefixedHash(`${groupId}:`, variantSeed);
  const read = stickyReader(stickiness ?? 'default', random);
  const steps = stepsOfOverride * overrides.length + weighted.length;
  return (context, budget) => {
    budget.spend(steps);
    for (const { read, values, evaluation } of overrides) {
      const text = read(context);
      if (text !== undefined && values.has(text)) return evaluation;
    }
    const text = read(context);
    budget.spend(text.length);
    const target = (hash(text) % totalWeight) + 1;
    let sum = 0;
    for (const { weight, evaluation } of weighted) {
      sum += weight;
      if (sum >= target) return evaluation;
    }
    return last.evaluation;
  };
}

function evaluationWith({ name, payload }: VariantDefinition): Evaluation {
  const on = { feature_enabled: true, featureEnabled: true };
  return { enabled: true, variant: { name, ...(payload && { payload }), enabled: true, ...on } };
}

/** Unlike a rollout, a variant is chosen for every context: one without the field gets any. */
function stickyReader(stickiness: string, random: () => number): (context: Context) => string {
  // The numbers of the Node SDK, which hashes a random number as if it were an id.
  const randomId = () => String(Math.round(random() * 100_000));
  if (stickiness === 'default') {
    return ({ userId, sessionId, remoteAddress }) =>
      sentText(userId) || sentText(sessionId) || sentText(remoteAddress) || randomId();
  }
  const field: ReadField = fieldReader(stickiness);
  return (context) => field(context) || randomId();
}

/** As in the Node SDK, a number or boolean is no id here. */
function sentText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
