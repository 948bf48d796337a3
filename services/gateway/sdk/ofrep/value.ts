import type { EvaluatedFlag } from '../frontend/evaluated-flags.ts';

export interface OfrepEvaluation {
  key: string;
  reason: 'DISABLED' | 'DEFAULT' | 'SPLIT' | 'TARGETING_MATCH';
  variant?: string;
  /** Absent: the application uses its default. */
  value?: unknown;
}

/**
 * A flag that has a variant with a payload has the value of the chosen variant's payload; none while it is off or
 * without a payload. Any other flag has a boolean.
 */
export function toOfrepEvaluation({ flag, evaluation: { enabled, variant } }: EvaluatedFlag): OfrepEvaluation {
  const chosen = enabled && variant.enabled ? variant : null;
  const value = flag.hasPayloads ? chosen?.payload && typed(chosen.payload) : enabled;
  return {
    key: flag.name,
    reason: reasonOf(flag.enabled, enabled, chosen !== null),
    ...(chosen && { variant: chosen.name }),
    ...(value !== undefined && { value }),
  };
}

function reasonOf(isEnabled: boolean, isOn: boolean, hasVariant: boolean): OfrepEvaluation['reason'] {
  if (!isEnabled) return 'DISABLED';
  if (!isOn) return 'DEFAULT';
  return hasVariant ? 'SPLIT' : 'TARGETING_MATCH';
}

/** The admin API has validated payloads by their type. CSV has no type in OpenFeature, so it stays a text. */
function typed({ type, value }: { type: string; value: string }): unknown {
  if (type === 'json') return JSON.parse(value);
  return type === 'number' ? Number(value) : value;
}
