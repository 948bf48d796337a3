import { inSpan, type Tracer } from '@yardarm/shared/telemetry';
import type { NextStep } from './steps.repo.ts';

/** Executes a step within a span, which continues the trace of the signal. A signal without a trace makes no span. */
export function traceStep(tracer: Tracer, next: NextStep, run: (next: NextStep) => Promise<void>): Promise<void> {
  const { traceparent: parent, runId, stepId, step, position } = next;
  if (parent === null) return run(next);
  const span = tracer.start('run step', {
    kind: 'internal',
    parent,
    attributes: {
      ...{ 'yardarm.run.id': runId, 'yardarm.step.id': stepId, 'yardarm.step.position': position },
      'yardarm.step.action': step?.action,
    },
  });
  return inSpan(tracer, span, () => run({ ...next, traceparent: span.traceparent }));
}
