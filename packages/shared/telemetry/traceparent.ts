import { randomFillSync } from 'node:crypto';

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A new W3C trace context (https://www.w3.org/TR/trace-context/), not sampled: a tracer upstream decides that. */
export function newTraceparent(): string {
  return `00-${randomHex(16)}-${randomHex(8)}-00`;
}

/** Goes on with the caller's trace under a span of our own; begins a new trace when the header is absent or malformed. */
export function childTraceparent(traceparent: string | null | undefined): string {
  const parts = pattern.exec(traceparent ?? '');
  if (!parts || parts[1] === '0'.repeat(32) || parts[2] === '0'.repeat(16)) return newTraceparent();
  return `00-${parts[1]}-${randomHex(8)}-${parts[3]}`;
}

/** Taken from the system some hundred ids at a time: one at a time takes longer than everything else about a trace. */
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
