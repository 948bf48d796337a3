/**
 * A pause after a batch: `perEventMs` for each of its events, at most `maxMs`. Single events hardly wait. Hundreds of
 * events a second are handled in larger batches, which cost less per event.
 */
export interface Pace {
  perEventMs: number;
  maxMs: number;
}

/**
 * At fifty events a second the pause is not noticeable. At a thousand a second 25 events share the cost of a batch. A
 * change passes three such pauses on its way to a webhook, together less than a tenth of a second.
 */
export const eventPace: Pace = { perEventMs: 1, maxMs: 25 };

/** The pause in milliseconds after a batch of `count` events. */
export function pauseAfter(count: number, { perEventMs, maxMs }: Pace): number {
  return Math.min(maxMs, count * perEventMs);
}
