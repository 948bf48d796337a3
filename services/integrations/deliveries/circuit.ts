/**
 * The circuit of an integration decides whether its endpoint receives sends. It is stored with the integration, so that
 * all replicas share it.
 *
 *   closed --ninth failure in a row, or asked to wait--> open --pause ends--> half-open --success--> closed
 *                                                         ^                       |
 *                                                         \--------failure--------/
 *
 * closed     There is no pause. Sends run up to the limit.
 * open       The pause lasts. Nothing is claimed: due deliveries stay due and use no attempt.
 * half-open  The pause is over. One delivery at a time is claimed, as a probe.
 *
 * Sends in flight when the circuit opens end normally: a success closes the circuit, a failure changes nothing while it
 * is open and counts as a failed probe later.
 * Every change of the integration closes the circuit, because the endpoint may be another one.
 */
export interface Circuit {
  failures: number;
  /** The end of the first of these failures. */
  failingSince: Date | null;
  /** The end of the pause; null when the circuit is closed. */
  pausedUntil: Date | null;
}

export const closedCircuit: Circuit = { failures: 0, failingSince: null, pausedUntil: null };

export type CircuitState = 'closed' | 'open' | 'half-open';

/** The effect of an attempt on the circuit: none, closing, or one more failure with or without a pause. */
export type CircuitStep = 'stays' | 'closes' | { failures: number; pauseMs: number | null };

/** Eight sends run at once and fail together in a short outage. The ninth began after them. */
const failuresToOpen = 9;

/** The first pause covers a restart. The longest one costs an endpoint nothing and hardly delays its recovery. */
const pauseMs = { min: 10_000, max: 5 * 60_000 };

/** The limit for one answer that pauses all deliveries. A single delivery may wait longer (delivery.ts). */
const maxAskedMs = 60 * 60_000;

/** Spreads the probes of endpoints on one host that failed together. */
const jitter = 0.1;

/** The state by this process's clock; a second of difference does not matter. */
export function circuitState({ pausedUntil }: Circuit, nowMs: number): CircuitState {
  if (pausedUntil === null) return 'closed';
  return pausedUntil.getTime() > nowMs ? 'open' : 'half-open';
}

/**
 * Decides the effect of an attempt. `askedMs` is the wait that the endpoint asked of all deliveries (Retry-After of a
 * 429 or 503), or 0. `random` is from 0 to 1.
 */
export function afterCall(
  circuit: Circuit,
  { succeeded, askedMs }: { succeeded: boolean; askedMs: number },
  { random, nowMs }: { random: number; nowMs: number },
): CircuitStep {
  if (succeeded) return circuit.failures === 0 && circuit.pausedUntil === null ? 'stays' : 'closes';
  const state = circuitState(circuit, nowMs);
  if (state === 'open') return 'stays';
  const failures = circuit.failures + 1;
  if (state === 'closed' && failures < failuresToOpen && askedMs === 0) return { failures, pauseMs: null };
  const doubled = pauseMs.min * 2 ** Math.max(0, failures - failuresToOpen);
  const wait = Math.max(Math.min(doubled, pauseMs.max), Math.min(askedMs, maxAskedMs));
  return { failures, pauseMs: Math.round(wait * (1 + jitter * random)) };
}

export function circuitAfter(circuit: Circuit, step: CircuitStep, nowMs: number): Circuit {
  if (step === 'stays') return circuit;
  if (step === 'closes') return closedCircuit;
  const { failures, pauseMs } = step;
  return {
    failures,
    failingSince: circuit.failingSince ?? new Date(nowMs),
    pausedUntil: pauseMs === null ? null : new Date(nowMs + pauseMs),
  };
}

export function hasFailedTooLong({ failingSince }: Circuit, { limitMs, nowMs }: { limitMs: number; nowMs: number }) {
  return failingSince !== null && nowMs - failingSince.getTime() >= limitMs;
}
