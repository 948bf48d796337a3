import type { Attributes, Context, Link, SpanKind } from '@opentelemetry/api';
import { TraceFlags, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../../config/index.ts';

/** The sampler of OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. */
export function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingConfig): Sampler {
  const root = rootSampler(name.replace(/^parentbased_/, ''), share);
  return new LinkedSampler(name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root);
}

function rootSampler(name: string, share: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'always_on' ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(share);
}

/**
 * A batch of messages begins a trace of its own, which links to those of its messages. It is exported if one of these
 * is: a second decision would leave the link of a trace that someone looks at without its target.
 */
class LinkedSampler implements Sampler {
  readonly #others: Sampler;

  constructor(others: Sampler) {
    this.#others = others;
  }

  shouldSample(context: Context, traceId: string, name: string, kind: SpanKind, attributes: Attributes, links: Link[]) {
    const isOfBatch = trace.getSpanContext(context) === undefined;
    const isLinked = links.some(({ context: { traceFlags } }) => (traceFlags & TraceFlags.SAMPLED) !== 0);
    if (isOfBatch && isLinked) return { decision: SamplingDecision.RECORD_AND_SAMPLED };
    return this.#others.shouldSample(context, traceId, name, kind, attributes, links);
  }

  toString(): string {
    return `LinkedSampler{${this.#others}}`;
  }
}
