import { randomFillSync } from 'node:crypto';

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns a new trace context (https://www.w3.org/TR/trace-context/), not sampled: an upstream tracer decides that. */
export function newTraceparent(): string {
  return `00-${randomHex(16)}-${randomHex(8)}-00`;
}

/** Continues the caller's trace with a new span. Begins a new trace when the header is absent or malformed. */
export function childTraceparent(traceparent: string | null | undefined): string {
  const parts = pattern.exec(traceparent ?? '');
  if (!parts || parts[1] === '0'.repeat(32) || parts[2] === '0'.repeat(16)) return newTraceparent();
  return `00-${parts[1]}-${randomHex(8)}-${parts[3]}`;
}

/** The trace id of a trace context of `childTraceparent`; null without one. */
export function traceIdOf(traceparent: string | null): string | null {
  return pattern.exec(traceparent ?? '')?.[1] ?? null;
}

/** Random bytes for some hundred ids. Reading them for each id takes longer than the rest of a trace. */
const random = Buffer.alloc(4_096);
let used = random.length;

function randomHex(bytes: number): string {
  if (used + bytes > random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += bytes;
  return random.toString('hex', used - bytes, used);
}
