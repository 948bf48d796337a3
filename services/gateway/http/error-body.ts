import { type ErrorCode, type ErrorDetail, errorCodes } from '@yardarm/shared/contracts';
import { AppError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { Response } from 'express';

/** The one place that makes the error shape of interface.md: `{ id, name, message, details? }`. */
export interface ErrorBody {
  /** The request's id, which is in the log. */
  id: string;
  name: string;
  message: string;
  details?: readonly ErrorDetail[];
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

/** Answers with the error, and logs it when it is ours to mend. */
export function sendError(response: Response, thrown: unknown, id: string, log: Logger): void {
  const error = visibleError(thrown);
  if (error.code === 'internal') log.error({ err: error.cause ?? error, requestId: id }, 'a request failed');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body: ErrorBody = { id, name: errorCodes[error.code].name, message: error.message };
  if (error.details && error.details.length > 0) body.details = error.details;
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(error.retryAfterSeconds));
  else if (error.code === 'unavailable') response.setHeader('retry-after', '1');
  response.setHeader('cache-control', 'no-store');
  response.status(error.status).json(body);
}

/** The error of a content type that is not JSON. */
export function contentTypeError(sent: string | undefined): AppError {
  return new AppError(
    'content-type',
    `We do not accept the content-type you provided (${sent === undefined || sent === '' ? 'none' : sent.slice(0, 100)}). ` +
      'Try using one of the content-types we do accept instead (application/json) and make sure the content-type header matches the format of the body.',
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
    return new AppError(
      code,
      `You provided more data than we can handle. Yardarm accepts at most ${String(limit)} bytes here.`,
    );
  }
  if (type === 'entity.parse.failed') {
    return new AppError('validation', `The request body is not well-formed JSON: ${thrown.message.slice(0, 100)}`);
  }
  if (code) return new AppError(code, `The request body cannot be read: ${thrown.message.slice(0, 100)}`);
  // A body that does not decompress, and other refusals of the parser, carry a 4xx without a type.
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('validation', `The request cannot be read: ${thrown.message.slice(0, 100)}`);
  }
  return null;
}

/** What Node's parser refuses before there is a request; by its code. What is not here is malformed. */
const refusalsOfParser: Record<string, { status: string; name: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    name: 'ContentTooLarge',
    message: 'The headers of the request are larger than this server takes.',
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
