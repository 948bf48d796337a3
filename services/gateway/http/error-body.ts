import { type ErrorCode, type ErrorDetail, errorCodes } from '@yardarm/shared/contracts';
import { AppError, withoutOwnSecrets } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { Response } from 'express';
import type { Audience } from './route.ts';

/** The body of every error. Only this file makes it. */
export interface ErrorBody {
  /** The request's id, which is in the log. */
  id: string;
  name: string;
  message: string;
  details?: readonly ErrorDetail[];
  /** Where to log in, in answers of the admin API to somebody who has not. */
  path?: string;
  type?: 'password';
}

/** Turns whatever was thrown into the error that the caller may see; an unknown one is `internal` and says nothing. */
export function visibleError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof URIError)
    return new AppError('validation', 'The path is not well-formed: it has a wrong percent-encoding.');
  const parserError = errorOfBodyParser(thrown);
  if (parserError) return parserError;
  return new AppError('internal', 'Something went wrong on our side. The id of this error is in our log.', {
    cause: thrown,
  });
}

/** Of a request that failed: its id, and the route's path as the table has it, since a real one may carry a secret. */
export interface Failed {
  requestId: string;
  method: string;
  route?: string | undefined;
  audience?: Audience | undefined;
}

/** Answers with the error, and leaves a line in the log by which its id is found. */
export function sendError(response: Response, thrown: unknown, failed: Failed, log: Logger): void {
  const error = visibleError(thrown);
  logError(error, failed, log);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = errorBody(error, failed);
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(error.retryAfterSeconds));
  else if (error.code === 'unavailable') response.setHeader('retry-after', '1');
  response.setHeader('cache-control', 'no-store');
  response.status(error.status);
  if (error.code === 'content-too-large' && !response.req.complete) sendAndLinger(response, JSON.stringify(body));
  else response.json(body);
}

/** What the caller reads of an error. */
export function errorBody(
  error: AppError,
  { requestId: id, audience }: Pick<Failed, 'requestId' | 'audience'>,
): ErrorBody {
  const body: ErrorBody = { id, name: errorCodes[error.code].name, message: withoutOwnSecrets(error.message) };
  if (error.details && error.details.length > 0) body.details = error.details;
  if (error.code === 'unauthenticated' && audience === 'admin') Object.assign(body, whereToLogIn);
  return body;
}

// A client on another continent has had the answer by then.
const lingerMs = 1_000;

/**
 * Answers while the client still sends, and ends the connection after it. Closed at once, a connection with unread bytes is reset,
 * and a reset can overtake the answer: so what comes is thrown away until the client stops, or for a moment.
 */
function sendAndLinger(response: Response, text: string): void {
  const request = response.req;
  response.setHeader('connection', 'close');
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.write(text);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.once('end', end).once('close', end).resume();
}

/** The public product's fields, by which a console finds its way to the login. */
const whereToLogIn = { path: '/auth/simple/login', type: 'password' } as const;

/** What a known caller can bring about as often as they like all the same: a line each would fill the log. */
const cheapRefusals: readonly ErrorCode[] = ['unauthenticated', 'not-found', 'rate-limited'];

/** Ours to mend is an error, what passes by itself a warning, the caller's a line of information; never the words, which repeat values. */
function logError(error: AppError, failed: Failed, log: Logger): void {
  const what = { ...failed, status: error.status, code: error.code };
  if (error.code === 'internal') log.error({ ...what, err: error.cause ?? error }, 'a request failed');
  else if (error.status >= 500) log.warn(what, 'a request could not be answered');
  else if (failed.audience === 'public' || failed.audience === undefined || cheapRefusals.includes(error.code))
    log.debug(what, 'a request was refused');
  else log.info(what, 'a request was refused');
}

/** The error of a content type that is not JSON. */
export function contentTypeError(sent: string | undefined): AppError {
  return new AppError(
    'content-type',
    `We do not accept the content-type you provided (${sent === undefined || sent === '' ? 'none' : sent.slice(0, 100)}). ` +
      'Try using one of the content-types we do accept instead (application/json) and make sure the content-type header matches the format of the body.',
  );
}

/** The error of a body that is larger than the route takes. */
export function tooLargeError(limitBytes: number): AppError {
  return new AppError(
    'content-too-large',
    `You provided more data than we can handle. Yardarm accepts at most ${limitBytes} bytes here.`,
  );
}

const codesOfBodyParser: Record<string, ErrorCode> = {
  'entity.too.large': 'content-too-large',
  'entity.parse.failed': 'validation',
  'encoding.unsupported': 'content-type',
  'charset.unsupported': 'content-type',
  'request.aborted': 'validation',
  'request.size.invalid': 'validation',
  'stream.encoding.set': 'validation',
};

function errorOfBodyParser(thrown: unknown): AppError | null {
  if (!(thrown instanceof Error)) return null;
  const { type, limit, status } = thrown as { type?: unknown; limit?: unknown; status?: unknown };
  const code = typeof type === 'string' ? codesOfBodyParser[type] : undefined;
  if (code === 'content-too-large') {
    return tooLargeError(Number(limit));
  }
  if (type === 'entity.parse.failed') {
    // The parser's own words repeat what stands around the place, which may be a secret.
    const at = /at position \d+/.exec(thrown.message)?.[0];
    return new AppError('validation', `The request body is not well-formed JSON${at ? ` (${at})` : ''}.`);
  }
  if (code) {
    const accepted =
      code === 'content-type' ? '. We accept application/json in UTF-8, plain or as gzip, deflate or br' : '';
    return new AppError(code, `The request body cannot be read: ${thrown.message.slice(0, 100)}${accepted}`);
  }
  // A body that does not decompress, and other refusals of the parser, carry a 4xx without a type.
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('validation', `The request cannot be read: ${thrown.message.slice(0, 100)}`);
  }
  return null;
}

/** What is refused before there is a request to answer; by Node's code or our own. What is not here is malformed. */
const refusalsOfParser: Record<string, { status: string; name: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    name: 'ContentTooLarge',
    message: 'The headers of the request are larger than this server takes.',
  },
  WRONG_EXPECTATION: {
    status: '417 Expectation Failed',
    name: 'ExpectationFailedError',
    message: 'The only expectation that this server meets is 100-continue.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    name: 'RequestTimeoutError',
    message: 'The request did not come whole within the time that this server waits.',
  },
};

/** The raw answer to bytes that are no HTTP request, in the shape of every other error; the connection ends with it. */
export function answerToNoRequest(code: string | undefined, id: string): string {
  const { status, name, message } = refusalsOfParser[code ?? ''] ?? {
    status: '400 Bad Request',
    name: errorCodes.validation.name,
    message: 'The request is not well-formed HTTP.',
  };
  const body = JSON.stringify({ id, name, message } satisfies ErrorBody);
  const headers = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
  return [`HTTP/1.1 ${status}`, ...headers, '', body].join('\r\n');
}
