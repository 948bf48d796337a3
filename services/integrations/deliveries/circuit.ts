/**
 * The circuit of an integration: whether its endpoint is sent anything at the moment. It lies beside the integration, so that all
 * replicas share it.
 *
 *   closed --a ninth failure in a row, or asked to wait--> open --time passes--> half-open --success--> closed
 *                                                            ^                      |
 *                                                            \-------failure-------/
 *
 * closed     No pause is noted. Sent to as much at once as may be.
 * open       The pause lasts. Nothing is claimed: what is due stays due and spends no attempt.
 * half-open  The pause is over. One delivery at a time is claimed and shows how the endpoint is.
 *
 * What was on its way when the circuit opened ends as it may: its failure says nothing new, its success closes the circuit. Every change
 * of the integration closes it: the endpoint may be another.
 */
export interface Circuit {
  /** In a row, with no success between them. */
  failures: number;
  /** When the first of them ended. */
  failingSince: Date | null;
  /** The end of the pause; null when closed. */
  pausedUntil: Date | null;
}

/** Of an endpoint that is well, or that nobody has tried yet. */
export const closedCircuit: Circuit = { failures: 0, failingSince: null, pausedUntil: null };

export type CircuitState = 'closed' | 'open' | 'half-open';

/** What becomes of the circuit: it stays, it closes, or one more failure is noted, with a pause or without. */
export type CircuitStep = 'stays' | 'closes' | { failures: number; pauseMs: number | null };

/** Eight are sent at once and fail together when an endpoint is down for a moment; the ninth came after it. */
const failuresToOpen = 9;

/** The pause doubles from one that a restart takes up to one that costs an endpoint nothing and delays its recovery hardly. */
const pauseMs = { first: 10_000, longest: 5 * 60_000 };

/** One answer may ask for no more than this on behalf of all that waits; deliveries of their own wait longer (delivery.ts). */
const maxAskedMs = 60 * 60_000;

/** Endpoints behind one host that went down together are not all tried at one moment. */
const jitter = 0.1;

/** The state, by this process's clock: a second more or less does not matter. */
export function circuitState({ pausedUntil }: Circuit, nowMs: number): CircuitState {
  if (pausedUntil === null) return 'closed';
  return pausedUntil.getTime() > nowMs ? 'open' : 'half-open';
}

/**
 * Decides how the circuit goes on after an attempt. `askedMs` is how long the endpoint asked everybody to wait (429 and 503 with
 * Retry-After), or 0; `random` is from 0 to 1.
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
  const doubled = pauseMs.first * 2 ** Math.max(0, failures - failuresToOpen);
  const wait = Math.max(Math.min(doubled, pauseMs.longest), Math.min(askedMs, maxAskedMs));
  return { failures, pauseMs: Math.round(wait * (1 + jitter * random)) };
}

/** The circuit as a step leaves it. */
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

/** Whether the endpoint has failed for so long that the integration should be disabled. */
export function hasFailedTooLong({ failingSince }: Circuit, { limitMs, nowMs }: { limitMs: number; nowMs: number }) {
  return failingSince !== null && nowMs - failingSince.getTime() >= limitMs;
}
