import { randomFillSync } from 'node:crypto';

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns a new trace context (https://www.w3.org/TR/trace-context/), not sampled: an upstream tracer decides that. */
export function newTraceparent(): string {
  return `00-${randomHex(16)}-${randomHex(8)}-00`;
}

/** Continues the caller's trace with a new span. Begins a new trace when the header is absent or malformed. */
export function childTraceparent(traceparent: string | null | undefined): string {
  const parts = parseTraceparent(traceparent);
  return parts === null ? newTraceparent() : `00-${parts.traceId}-${randomHex(8)}-${parts.flags}`;
}

/** The parts of a trace context, in hexadecimal digits; null when it is absent or malformed. */
export function parseTraceparent(
  traceparent: string | null | undefined,
): { traceId: string; spanId: string; flags: string } | null {
  const [, traceId, spanId, flags] = pattern.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return traceId === '0'.repeat(32) || spanId === '0'.repeat(16) ? null : { traceId, spanId, flags };
}

/** Whether the spans of this trace are exported. */
export function isSampled(traceparent: string | null): traceparent is string {
  const flags = parseTraceparent(traceparent)?.flags;
  return flags !== undefined && (Number.parseInt(flags, 16) & 1) === 1;
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
