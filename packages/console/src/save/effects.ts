import {
  type CompiledFlags,
  type Context,
  compileFlags,
  type Evaluation,
  type FlagDefinition,
  type Reasons,
  type SegmentDefinition,
} from '@yardarm/evaluation/pure';
import { isSame } from './same.ts';
import { sampleContexts, seeded, valuesOfFields } from './samples.ts';

/** A flag in one environment, with what its evaluation needs. */
export interface World {
  flag: FlagDefinition;
  /** The flags that it depends on. */
  parents: readonly FlagDefinition[];
  segments: readonly SegmentDefinition[];
}

/** What a change does to sample users. */
export interface Effects {
  total: number;
  onBefore: number;
  onAfter: number;
  gain: number;
  lose: number;
  /** On before and after, with another variant. */
  otherVariant: number;
  /** On before and after, with another payload of the same variant. */
  otherPayload: number;
}

/** The flag before and after a change, for a context. */
export interface Comparison {
  before: Reasons;
  after: Reasons;
}

interface Evaluator {
  evaluate: (context: Context, draw: number) => Evaluation;
  explain: (context: Context) => Reasons;
}

/** Evaluates sample users before and after. A random choice is the same for a user on both sides. */
export function effectsOf(before: World, after: World, now: number): Effects {
  const contexts = sampleContexts(fieldsOf(before, after));
  const [old, next] = [evaluatorOf(before, now), evaluatorOf(after, now)];
  const effects = {
    total: contexts.length,
    onBefore: 0,
    onAfter: 0,
    gain: 0,
    lose: 0,
    otherVariant: 0,
    otherPayload: 0,
  };
  for (const [draw, context] of contexts.entries()) {
    const [was, is] = [old.evaluate(context, draw), next.evaluate(context, draw)];
    if (was.enabled) effects.onBefore++;
    if (is.enabled) effects.onAfter++;
    if (is.enabled && !was.enabled) effects.gain++;
    if (was.enabled && !is.enabled) effects.lose++;
    if (was.enabled && is.enabled) {
      if (was.variant.name !== is.variant.name) effects.otherVariant++;
      else if (!isSame(was.variant.payload, is.variant.payload)) effects.otherPayload++;
    }
  }
  return effects;
}

export function compare(before: World, after: World, context: Context, now: number): Comparison {
  return { before: evaluatorOf(before, now).explain(context), after: evaluatorOf(after, now).explain(context) };
}

/** The fields on which the answer may depend, with values that are named for them. */
export function fieldsOf(before: World, after: World): Map<string, string[]> {
  const strategies = [before, after].flatMap(({ flag, parents }) =>
    [flag, ...parents].flatMap((each) => each.strategies),
  );
  return valuesOfFields(strategies, after.segments);
}

function evaluatorOf({ flag, parents, segments }: World, now: number): Evaluator {
  let random = seeded(0);
  const flags: CompiledFlags = compileFlags({ features: [flag, ...parents], segments }, { random: () => random() });
  return {
    evaluate(context, draw) {
      random = seeded(draw);
      return flags.evaluate(flag.name, context, now);
    },
    explain(context) {
      random = seeded(0);
      return flags.evaluateWithReasons(flag.name, context, now)!;
    },
  };
}
