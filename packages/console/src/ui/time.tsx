import { useSyncExternalStore } from 'react';

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** How long ago, or how long until, in the largest whole unit. */
export function relativeTime(at: Date, now = new Date()): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return seconds > -60 && seconds <= 0 ? 'just now' : relative.format(seconds, 'second');
}

/** Relative times are right to a quarter of a minute. */
const tickMs = 15_000;

let ticks = 0;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times of a page: while a list scrolls, ten of them come and go with each turn of the wheel. */
function followTicks(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    ticks += 1;
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A point in time: relative, and on hover the local time and UTC. */
export function Time({ at }: { at: string }) {
  useSyncExternalStore(followTicks, () => ticks);
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${local.format(date)} (UTC ${date.toISOString().replace('T', ' ').slice(0, 19)})`}>
      {relativeTime(date)}
    </time>
  );
}
