import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node';
import { z } from 'zod';
import { type Actor, actorSchema, grantSchema } from '../contracts/actor.ts';
import { isPermission } from '../contracts/permissions.ts';
import type { RequestContext } from './bus.ts';

/** The names of the headers on the wire. */
export const headerNames = {
  requestId: 'Yardarm-Request-Id',
  traceparent: 'traceparent',
  timeoutMs: 'Yardarm-Timeout-Ms',
  deadline: 'Yardarm-Deadline',
  actor: 'Yardarm-Actor',
  error: 'Yardarm-Error',
  /** The number of a piece of an answer, from 1. */
  piece: 'Yardarm-Piece',
  /** With the last message of an answer in pieces: how many there were. */
  pieces: 'Yardarm-Pieces',
  msgId: 'Nats-Msg-Id',
} as const;

const encodedMark = "UTF-8''";

/** Any text as a header value: printable ASCII stays, the rest travels as RFC 8187 writes it, `UTF-8''%e2%82%ac`. */
export function encodeHeader(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith(encodedMark);
  // A lone surrogate has no UTF-8: it becomes U+FFFD, as in every text that leaves a JavaScript program.
  return isPlain ? text : encodedMark + encodeURIComponent(text.toWellFormed());
}

/** The text that `encodeHeader` was given. A value that only looks encoded is returned as it is. */
export function decodeHeader(value: string): string {
  if (!value.startsWith(encodedMark)) return value;
  try {
    return decodeURIComponent(value.slice(encodedMark.length));
  } catch {
    // Not ours: somebody else's value that happens to begin like one.
    return value;
  }
}

/** Headers with every value encoded; null and undefined are left out. */
export function makeHeaders(values: Record<string, string | null | undefined>): MsgHdrs {
  const made = emptyHeaders();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined) made.append(name, encodeHeader(value));
  }
  return made;
}

/** A header's text, null when it is absent. */
export function headerOf(from: MsgHdrs | undefined, name: string): string | null {
  const value = from?.get(name);
  return value ? decodeHeader(value) : null;
}

/** All headers with their texts; of one that stands several times the first. */
export function allHeaders(from: MsgHdrs | undefined): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of from?.keys() ?? []) all[name] = decodeHeader(from?.get(name) ?? '');
  return all;
}

/** What a header of a request takes at most besides its actor: names, ids, numbers. */
export const headerAllowanceBytes = 1_024;

/**
 * The headers of a request. What is left until the deadline travels beside the deadline itself: the serving side counts from the arrival
 * and so does not care how far the clocks of two machines are apart; the deadline only tells a message that has lain somewhere.
 */
export function requestHeaders(context: RequestContext, remainingMs: number): MsgHdrs {
  return makeHeaders({
    [headerNames.requestId]: context.requestId,
    [headerNames.traceparent]: context.traceparent,
    [headerNames.timeoutMs]: String(Math.max(1, Math.round(remainingMs))),
    [headerNames.deadline]: String(Math.round(context.deadline)),
    [headerNames.actor]: context.actor ? asciiJson(context.actor) : null,
  });
}

/** JSON in ASCII alone: any name survives any header, and a plain actor stays readable in a trace of the wire. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A message without a timeout comes from no bus of ours: it gets the time that people wait for a page. */
const timeoutWithoutHeaderMs = 10_000;

/**
 * How far apart two clocks may be before a request is refused for being late. A request can lie in the buffer of a connection, or of a
 * process that was paused, and come minutes after its caller was told "outcome unknown" and tried again: it must not be done then.
 * Machines with any time service are within a second.
 */
const clockToleranceMs = 30_000;

/** A context as it arrives; `isLate` when its deadline has passed on the way. */
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

const arrivingActorSchema = actorSchema.extend({
  grants: z.array(grantSchema.extend({ permissions: z.array(z.string()) })),
});

/**
 * The actor, or null when there is none or it cannot be read. A permission that this version does not know is left out: a newer
 * gateway must not be refused everything by an older service.
 */
function actorOf(json: string | null): Actor | null {
  if (json === null) return null;
  try {
    const arriving = arrivingActorSchema.safeParse(JSON.parse(json));
    if (!arriving.success) return null;
    const grants = arriving.data.grants.map((grant) => ({
      ...grant,
      permissions: grant.permissions.filter(isPermission),
    }));
    return { ...arriving.data, grants };
  } catch {
    // Not JSON, so nobody that we know: whatever asks for a permission refuses.
    return null;
  }
}
