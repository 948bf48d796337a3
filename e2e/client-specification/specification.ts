// The flags and cases of Unleash's client specification.
import { createRequire } from 'node:module';
import type { Context } from 'unleash-client';

export interface SpecificationStrategy {
  name: string;
  parameters?: Record<string, string>;
  constraints?: object[];
  variants?: object[];
  segments?: number[];
}

export interface SpecificationFlag {
  name: string;
  description?: string;
  enabled: boolean;
  strategies?: SpecificationStrategy[];
  variants?: { weight: number }[];
  dependencies?: { feature: string }[];
}

interface SpecificationSegment {
  id: number;
  constraints: object[];
}

/** The events of the delta API. The flags that they leave are a state. */
interface SpecificationEvent {
  features?: SpecificationFlag[];
  segments?: SpecificationSegment[];
  feature?: SpecificationFlag;
  segment?: SpecificationSegment;
  /** Of a flag that is removed. */
  featureName?: string;
}

export interface SpecificationState {
  features: SpecificationFlag[];
  segments: SpecificationSegment[];
  /** The names of flags that are made and then archived. */
  archived: string[];
}

interface Specification {
  name: string;
  state: { features?: SpecificationFlag[]; segments?: SpecificationSegment[]; events?: SpecificationEvent[] };
  tests?: { description: string; context: Context; toggleName: string; expectedResult: boolean }[];
  variantTests?: { description: string; context: Context; toggleName: string }[];
}

const require = createRequire(import.meta.url);
const files = require('@unleash/client-specification/specifications/index.json') as string[];
export const specifications = files
  .map((file) => require(`@unleash/client-specification/specifications/${file}`) as Specification)
  .map(({ name, state, tests = [], variantTests = [] }) => ({ name, tests, variantTests, ...toState(state) }));

function toState({ features = [], segments = [], events = [] }: Specification['state']): SpecificationState {
  return {
    features: [...features, ...events.flatMap((event) => event.features ?? event.feature ?? [])],
    segments: [...segments, ...events.flatMap((event) => event.segments ?? event.segment ?? [])],
    archived: events.flatMap(({ featureName }) => featureName ?? []),
  };
}
