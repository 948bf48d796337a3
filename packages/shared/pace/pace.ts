/**
 * A pause for each event of the last batch, up to the most. What comes one by one hardly waits; what comes in hundreds a second shares
 * what a batch costs whoever handles it.
 */
export interface Pace {
  perEventMs: number;
  maxMs: number;
}

/**
 * Of all who handle events: at fifty a second nobody notices it, of a thousand a second 25 share what a batch costs. Three such pauses
 * on the way from a change to a webhook are less than a tenth of a second.
 */
export const eventPace: Pace = { perEventMs: 1, maxMs: 25 };

/** How many milliseconds after a batch of `count` the next may begin. */
export function pauseAfter(count: number, { perEventMs, maxMs }: Pace): number {
  return Math.min(maxMs, count * perEventMs);
}
