import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node';
import { z } from 'zod';
import { type Actor, actorSchema, grantSchema } from '../contracts/actor.ts';
import { isPermission } from '../contracts/permissions.ts';
import type { RequestContext } from './bus.ts';
import type { Accepted } from './frames.ts';

export const headerNames = {
  requestId: 'Yardarm-Request-Id',
  traceparent: 'traceparent',
  timeoutMs: 'Yardarm-Timeout-Ms',
  deadline: 'Yardarm-Deadline',
  actor: 'Yardarm-Actor',
  error: 'Yardarm-Error',
  /** What the caller of a request can use (`Accepted` in frames.ts). */
  accept: 'Yardarm-Accept',
  /** The number of a frame of an answer, from 1. Its name is that of the release before, which called it a piece. */
  frame: 'Yardarm-Piece',
  /** The number of frames, in the last message of an answer. */
  frames: 'Yardarm-Pieces',
  /** `bytes` on a frame that is cut anywhere and no output by itself. */
  cut: 'Yardarm-Cut',
  /** `deflate` on a message whose body is deflated. */
  encoding: 'Yardarm-Encoding',
  msgId: 'Nats-Msg-Id',
} as const;

const encodedMark = "UTF-8''";

/** Encodes any text as a header value. Printable ASCII stays; RFC 8187 encodes other texts as `UTF-8''%e2%82%ac`. */
export function encodeHeader(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith(encodedMark);
  // A lone surrogate has no UTF-8 form and becomes U+FFFD.
  return isPlain ? text : encodedMark + encodeURIComponent(text.toWellFormed());
}

/** Decodes a value of `encodeHeader`. A malformed value is returned unchanged. */
export function decodeHeader(value: string): string {
  if (!value.startsWith(encodedMark)) return value;
  try {
    return decodeURIComponent(value.slice(encodedMark.length));
  } catch {
    // Another program's value that happens to begin with the mark.
    return value;
  }
}

/** Makes headers with encoded values. Null and undefined values are left out. */
export function makeHeaders(values: Record<string, string | null | undefined>): MsgHdrs {
  const result = emptyHeaders();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined) result.append(name, encodeHeader(value));
  }
  return result;
}

/** Returns the decoded header; null when it is absent. */
export function headerOf(from: MsgHdrs | undefined, name: string): string | null {
  const value = from?.get(name);
  return value ? decodeHeader(value) : null;
}

/** Returns all decoded headers; of a repeated header the first value. */
export function allHeaders(from: MsgHdrs | undefined): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of from?.keys() ?? []) all[name] = decodeHeader(from?.get(name) ?? '');
  return all;
}

/** The maximum size of a request's headers without its actor: names, ids, numbers. */
export const headerAllowanceBytes = 1_024;

/**
 * The headers of a request. They carry the remaining time and the deadline. The serving side counts the remaining time
 * from the arrival, so it does not depend on equal clocks. The deadline shows that a message was delayed on its way.
 */
export function requestHeaders(context: RequestContext, remainingMs: number, accept: Accepted): MsgHdrs {
  return makeHeaders({
    [headerNames.accept]: accept,
    [headerNames.requestId]: context.requestId,
    [headerNames.traceparent]: context.traceparent,
    [headerNames.timeoutMs]: String(Math.max(1, Math.round(remainingMs))),
    [headerNames.deadline]: String(Math.round(context.deadline)),
    [headerNames.actor]: context.actor ? asciiJson(context.actor) : null,
  });
}

/** JSON in ASCII, which any header can carry. An actor with a plain name stays readable in a network trace. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The timeout of a request from a client other than this bus: as long as a person waits for a page. */
const timeoutWithoutHeaderMs = 10_000;

/**
 * How far past its deadline a request may arrive, to allow for clock differences. A request can arrive minutes late
 * from the buffer of a connection or of a paused process, after its caller got "outcome unknown" and retried. It must
 * not run then. Machines with a time service differ by less than a second.
 */
const clockToleranceMs = 30_000;

/** Reads the context of a request. `isLate` is true when the deadline passed before the arrival. */
export function contextOf(from: MsgHdrs | undefined, now: number): { context: RequestContext; isLate: boolean } {
  const timeoutMs = numberOf(headerOf(from, headerNames.timeoutMs)) ?? timeoutWithoutHeaderMs;
  const senderDeadline = numberOf(headerOf(from, headerNames.deadline));
  return {
    isLate: timeoutMs <= 0 || (senderDeadline !== null && senderDeadline + clockToleranceMs < now),
    context: {
      requestId: headerOf(from, headerNames.requestId) ?? 'none',
      actor: actorOf(headerOf(from, headerNames.actor)),
      deadline: now + timeoutMs,
      traceparent: headerOf(from, headerNames.traceparent),
    },
  };
}

function numberOf(text: string | null): number | null {
  const number = text === null ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}

const receivedActorSchema = actorSchema.extend({
  grants: z.array(grantSchema.extend({ permissions: z.array(z.string()) })),
});

/** Null if absent or unreadable. Unknown permissions are left out, since the gateway may be newer than the service. */
function actorOf(json: string | null): Actor | null {
  if (json === null) return null;
  try {
    const parsed = receivedActorSchema.safeParse(JSON.parse(json));
    if (!parsed.success) return null;
    const grants = parsed.data.grants.map((grant) => ({
      ...grant,
      permissions: grant.permissions.filter(isPermission),
    }));
    return { ...parsed.data, grants };
  } catch {
    // Not JSON. Without an actor every contract with a permission is refused.
    return null;
  }
}
