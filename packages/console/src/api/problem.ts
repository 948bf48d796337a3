import { withPermissionWords } from './permission-words.ts';

/**
 * Why a request has no result:
 *
 *   offline          The browser has no network. Nothing was sent.
 *   unreachable      No answer came. For a write the outcome is unknown.
 *   unauthenticated  The session has ended (401).
 *   forbidden        A permission is missing (403).
 *   invalid          A value is refused (400, 413, 415).
 *   missing          404.
 *   conflict         Somebody else changed it before (409, 412).
 *   rate-limited     Too many requests (429). `retryAt` says when to send again.
 *   unavailable      Nothing was done (503). It may be sent again.
 *   outcome-unknown  The service did not answer in time (504). It must be read again and not be resent.
 *   fault            Any other status.
 */
export type ProblemKind =
  | 'offline'
  | 'unreachable'
  | 'unauthenticated'
  | 'forbidden'
  | 'invalid'
  | 'missing'
  | 'conflict'
  | 'rate-limited'
  | 'unavailable'
  | 'outcome-unknown'
  | 'fault';

/** A refused property, as `details` of an error names it. */
export interface Detail {
  message: string;
  path?: string;
  validationErrors?: string[];
}

const kinds: Partial<Record<number, ProblemKind>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  412: 'conflict',
  413: 'invalid',
  415: 'invalid',
  429: 'rate-limited',
  503: 'unavailable',
  504: 'outcome-unknown',
};

/** A request without a result, with a message for the reader of the page. */
export class Problem extends Error {
  override name = 'Problem';
  readonly kind: ProblemKind;
  readonly details: Detail[];
  /** The name of the error in the API, such as `MaintenanceModeError`. */
  readonly code: string | null;
  /** The id by which the logs of the services name this request. */
  readonly requestId: string | null;
  /** When it may be sent again, in milliseconds since 1970; null if at once or never. */
  readonly retryAt: number | null;

  constructor(
    kind: ProblemKind,
    message: string,
    rest: { details?: Detail[]; code?: string; requestId?: string | null; retryAfterSeconds?: number | null } = {},
  ) {
    super(message);
    this.kind = kind;
    this.details = rest.details ?? [];
    this.code = rest.code ?? null;
    this.requestId = rest.requestId ?? null;
    this.retryAt = kind === 'rate-limited' ? Date.now() + 1000 * (rest.retryAfterSeconds ?? 1) : null;
  }
}

interface ErrorBody {
  name?: string;
  message?: string;
  details?: Detail[];
}

/** The problem of an answer that is not 2xx. */
export function problemOf(response: Response, body: unknown): Problem {
  const { name, message, details } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const retryAfter = Number(response.headers.get('retry-after'));
  const kind = kinds[response.status] ?? 'fault';
  const text = message ?? `The server answered with status ${response.status}.`;
  return new Problem(kind, kind === 'forbidden' ? withPermissionWords(text) : text, {
    details: details ?? [],
    ...(name !== undefined && { code: name }),
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: retryAfter > 0 ? retryAfter : null,
  });
}

/** What is said if there is something of the name already, for the field of the name. */
export function nameTaken(error: Error | null): string | undefined {
  return error instanceof Problem && error.code === 'NameExistsError' ? error.message : undefined;
}

/** The problem of a request that got no answer. */
export function problemOfFailure(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('unreachable', 'No answer came from the server.');
}

/** Before anything was sent the outcome is known although no answer came: nothing was done. */
export function notSent(error: Error): Error {
  const isUnknown = error instanceof Problem && (error.kind === 'unreachable' || error.kind === 'outcome-unknown');
  return isUnknown ? new Problem('unavailable', error.message) : error;
}
