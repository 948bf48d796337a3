import type { Schemas } from '../api/client.ts';
import { shownJson } from '../ui/direction.ts';

export type Outcome = Schemas['integrationEventSchema'];
export type Attempt = Schemas['getIntegrationEventAttemptsResponseSchema']['attempts'][number];

export const outcomeLooks = {
  success: { look: 'good', label: 'Sent' },
  failed: { look: 'danger', label: 'Failed' },
  successWithErrors: { look: 'warning', label: 'Partly sent' },
} as const;

const reasons: Record<string, string> = {
  timeout: 'No answer in time',
  tls: 'The TLS certificate was refused',
  refused: 'The address is not allowed, so nothing was sent',
  interrupted: 'Interrupted by a stop; whether it arrived is not known',
  template: 'The body template failed, so nothing was sent',
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was cut',
  ENOTFOUND: 'The host was not found',
};

const duration = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** A duration in milliseconds or seconds. */
export function durationWords(ms: number): string {
  return ms < 1000 ? `${duration.format(ms)} ms` : `${duration.format(ms / 1000)} s`;
}

/** What an attempt ended with. */
export function resultWords({ status, errorCode }: Pick<Attempt, 'status' | 'errorCode'>): string {
  if (status !== null) return `Status ${status}`;
  if (errorCode === null) return 'No status';
  const reason = reasons[errorCode];
  return reason === undefined ? errorCode : `${reason} (${errorCode})`;
}

/** What came of a delivery. For a call without an answer the API names its error code as if it were a status code. */
export function outcomeWords({ stateDetails }: Pick<Outcome, 'stateDetails'>): string {
  return stateDetails.replace(/failed with status code: ([a-z]\w*)/gi, (_, errorCode: string) => {
    return `failed: ${resultWords({ status: null, errorCode })}`;
  });
}

export function attemptWords(attempt: Pick<Attempt, 'status' | 'errorCode' | 'durationMs'>): string {
  return `${resultWords(attempt)} after ${durationWords(attempt.durationMs)}`;
}

/** JSON as people read it; another text as it is. */
export function prettyJson(text: string): string {
  try {
    return shownJson(JSON.parse(text), 2);
  } catch {
    return text;
  }
}

/** From the first to the last event of outcomes; null without any. */
export function rangeOf(outcomes: readonly Outcome[]): { from: number; to: number } | null {
  const ids = outcomes.map(({ event }) => event.id).filter((id) => id > 0);
  return ids.length === 0 ? null : { from: Math.min(...ids), to: Math.max(...ids) };
}

/** The most that the API sends again at once. */
export const maxRedelivered = 10_000;

/** How many deliveries a button would send, in words. */
export function countWords(count: number): string {
  if (count === 0) return 'No delivery of this range can be sent again.';
  const words = count === 1 ? 'One delivery' : `${count.toLocaleString()} deliveries`;
  return count > maxRedelivered
    ? `The range has ${words}. At most ${maxRedelivered.toLocaleString()} are sent again at once; choose a part of it.`
    : `${words} ${count === 1 ? 'is' : 'are'} sent again.`;
}
