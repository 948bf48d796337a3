// Unleash's tests for SDKs: each evaluates a flag of a given state with a context.
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { CompiledFlags, type Context, compileFlags, type FlagDefinition, type SegmentDefinition } from './index.ts';

type DeltaEvent =
  | { type: 'hydration'; features: FlagDefinition[]; segments: SegmentDefinition[] }
  | { type: 'feature-updated'; feature: FlagDefinition }
  | { type: 'feature-removed'; featureName: string }
  | { type: 'segment-updated'; segment: SegmentDefinition }
  | { type: 'segment-removed'; segmentId: number };

interface Case {
  description: string;
  context: Context;
  toggleName: string;
  expectedResult: unknown;
}

interface Specification {
  name: string;
  state: { features: FlagDefinition[]; segments?: SegmentDefinition[] } | { events: DeltaEvent[] };
  tests?: Case[];
  variantTests?: Case[];
}

const require = createRequire(import.meta.url);
const files = require('@unleash/client-specification/specifications/index.json') as string[];
const specifications = files.map(
  (file) => require(`@unleash/client-specification/specifications/${file}`) as Specification,
);
const now = Date.now();

function flagsOf(state: Specification['state']): CompiledFlags {
  if (!('events' in state)) return compileFlags(state);
  const flags = new CompiledFlags();
  for (const event of state.events) apply(flags, event);
  return flags;
}

function apply(flags: CompiledFlags, event: DeltaEvent): void {
  switch (event.type) {
    case 'hydration':
      for (const segment of event.segments) flags.setSegment(segment);
      for (const feature of event.features) flags.setFlag(feature);
      break;
    case 'feature-updated':
      flags.setFlag(event.feature);
      break;
    case 'feature-removed':
      flags.deleteFlag(event.featureName);
      break;
    case 'segment-updated':
      flags.setSegment(event.segment);
      break;
    case 'segment-removed':
      flags.deleteSegment(event.segmentId);
      break;
  }
}

describe.each(specifications)('$name', ({ state, tests = [], variantTests = [] }) => {
  const flags = flagsOf(state);

  test.each(tests)('$description', ({ toggleName, context, expectedResult }) => {
    expect(flags.evaluate(toggleName, context, now).enabled).toBe(expectedResult);
    expect(flags.evaluateWithReasons(toggleName, context, now)?.evaluation.enabled ?? false).toBe(expectedResult);
  });

  test.each(variantTests)('$description', ({ toggleName, context, expectedResult }) => {
    const { featureEnabled, ...variant } = flags.evaluate(toggleName, context, now).variant;
    expect(variant).toEqual(expectedResult);
    expect(featureEnabled).toBe(variant.feature_enabled);
    const reasons = flags.evaluateWithReasons(toggleName, context, now);
    if (reasons) expect(reasons.evaluation.variant).toEqual({ ...variant, featureEnabled });
  });
});

test('the specification has all of its 279 cases', () => {
  const counts = specifications.map(({ tests = [], variantTests = [] }) => tests.length + variantTests.length);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(279);
});
