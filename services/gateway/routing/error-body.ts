import type { ServerResponse } from 'node:http';
import { errorCodes } from '@yardarm/shared/contracts';
import { AppError, type ErrorFields, errorFields } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { Audience } from './route.ts';

export interface ErrorBody extends ErrorFields {
  /** The id of the request, as in the log. */
  id: string;
  /** The path of the login, in a 401 of the admin API. */
  path?: string;
  type?: 'password';
}

/** Turns a thrown value into the error that the caller may see. An unknown one is `internal`, without its message. */
export function visibleError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof URIError)
    return new AppError('validation', 'The path is not well-formed: it has a wrong percent-encoding.');
  return new AppError('internal', 'Something went wrong on our side. The id of this error is in our log.', {
    cause: thrown,
  });
}

export interface FailedRequest {
  requestId: string;
  method: string;
  /** The path of the route in the table: the path of the request may contain a secret. */
  route?: string | undefined;
  audience?: Audience | undefined;
  /** What a caller has in front of every path; empty unless given. */
  basePath?: string;
  isAuthenticated?: boolean;
  /** Whether the log has room for another refusal of this caller; without it, always. */
  hasRoomInLog?: () => boolean;
  about?: object;
  /** What the protocol of the route adds to the body. */
  fields?: ((error: AppError, message: string) => object) | undefined;
}

export function sendError(response: ServerResponse, thrown: unknown, failed: FailedRequest, log: Logger): void {
  const error = visibleError(thrown);
  logError(error, failed, log);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // Also of a request without a route, and of one without Express.
  response.setHeader('x-request-id', failed.requestId);
  response.setHeader('x-content-type-options', 'nosniff');
  const common = errorBody(error, failed);
  const body = { ...common, ...failed.fields?.(error, common.message) };
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(error.retryAfterSeconds));
  else if (error.code === 'unavailable') response.setHeader('retry-after', '1');
  response.setHeader('cache-control', 'no-store');
  response.statusCode = error.status;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  const text = JSON.stringify(body);
  response.setHeader('content-length', Buffer.byteLength(text));
  if (error.code === 'content-too-large' && !response.req.complete) sendAndLinger(response, text);
  else response.end(text);
}

export function errorBody(
  error: AppError,
  { requestId: id, audience, basePath = '' }: Pick<FailedRequest, 'requestId' | 'audience' | 'basePath'>,
): ErrorBody {
  const fields = errorFields(errorCodes[error.code].name, error.message, error.details);
  if (error.code !== 'unauthenticated' || audience !== 'admin') return { id, ...fields };
  // The public product's fields that lead a console to the login.
  return { id, ...fields, path: `${basePath}/auth/simple/login`, type: 'password' };
}

// The answer reaches a client on another continent in this time.
const lingerMs = 1_000;

/**
 * Answers while the client still sends, and ends the connection afterwards. Closing a connection with unread bytes
 * resets it, and the reset can overtake the answer. So the rest of the request is discarded until it ends, or for
 * `lingerMs`.
 */
function sendAndLinger(response: ServerResponse, text: string): void {
  const request = response.req;
  response.setHeader('connection', 'close');
  response.write(text);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.once('end', end).once('close', end).resume();
}

/**
 * The message can repeat values, so it is not logged. Refusals of callers without a valid token, and of callers who
 * call too often, are at level debug: they would fill the log. So are those of one caller beyond some in a minute.
 */
function logError(
  error: AppError,
  { requestId, method, route, audience, isAuthenticated, hasRoomInLog = () => true, about }: FailedRequest,
  log: Logger,
): void {
  const fields = { requestId, method, route, audience, ...about, status: error.status, code: error.code };
  if (error.code === 'internal') log.error({ ...fields, err: error.cause ?? error }, 'a request failed');
  else if (error.status >= 500) log.warn(fields, 'a request could not be answered');
  else if (error.code !== 'rate-limited' && (isAuthenticated || isRefusalOfKnown(error, audience)) && hasRoomInLog())
    log.info(fields, 'a request was refused');
  else log.debug(fields, 'a request was refused');
}

/** Whether authentication knew the caller and refused the call. */
function isRefusalOfKnown({ code }: AppError, audience: Audience | undefined): boolean {
  return audience !== undefined && audience !== 'public' && (code === 'no-access' || code === 'forbidden');
}

export function contentTypeError(sent: string | undefined, accepted: readonly string[]): AppError {
  return new AppError(
    'content-type',
    `We do not accept the content-type you provided (${sent === undefined || sent === '' ? 'none' : sent.slice(0, 100)}). ` +
      `Try using one of the content-types we do accept instead (${accepted.join(', ')}) and make sure the content-type header matches the format of the body.`,
  );
}

/** The end of the message that refuses a charset or a content coding. */
export const acceptedBodies = 'We accept application/json in UTF-8, plain or as gzip, deflate or br.';

export function tooLargeError(limitBytes: number): AppError {
  return new AppError(
    'content-too-large',
    `You provided more data than we can handle. Yardarm accepts at most ${limitBytes} bytes here.`,
  );
}

/** Errors before there is a request to answer, by Node's code. Any other code means malformed HTTP. */
const parserErrors: Record<string, { status: string; name: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    name: 'ContentTooLarge',
    message: 'The headers of the request are larger than this server accepts.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    name: 'RequestTimeoutError',
    message: 'The request did not arrive completely in the time that this server waits.',
  },
};

/** The raw answer to bytes that are not an HTTP request. It has the body of every error and closes the connection. */
export function rawErrorResponse(code: string | undefined, id: string): string {
  const { status, name, message } = parserErrors[code ?? ''] ?? {
    status: '400 Bad Request',
    name: errorCodes.validation.name,
    message: 'The request is not well-formed HTTP.',
  };
  const body = JSON.stringify({ id, ...errorFields(name, message) } satisfies ErrorBody);
  const lengths = [`content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
  const headers = ['content-type: application/json', `x-request-id: ${id}`, ...lengths];
  return [`HTTP/1.1 ${status}`, ...headers, '', body].join('\r\n');
}

/** The answer to an Expect header with anything but 100-continue, before there is a route. It closes the connection. */
export function wrongExpectation(id: string): { status: number; headers: Record<string, string>; body: string } {
  const message = 'The only expectation that this server meets is 100-continue.';
  const body = JSON.stringify({ id, ...errorFields('ExpectationFailedError', message) } satisfies ErrorBody);
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return { status: 417, headers: { ...headers, 'x-request-id': id, connection: 'close' }, body };
}
