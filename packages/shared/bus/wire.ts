import { type ErrorCode, type ErrorDetail, errorCodes } from '../contracts/errors.ts';
import { AppError, maxDetails } from '../errors/index.ts';

/** Encodes a value as the body of a message. Undefined becomes the empty body. */
export function encodeBody(value: unknown): Uint8Array {
  return value === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(value));
}

/** Decodes a body. Throws a SyntaxError when it is not JSON. */
export function decodeBody(data: Uint8Array): unknown {
  if (data.length === 0) return undefined;
  return JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'));
}

interface RefusalBody {
  code: ErrorCode;
  message: string;
  details?: readonly ErrorDetail[] | undefined;
  retryAfterSeconds?: number | undefined;
}

/** A refusal is one message: with the details of thousands of problems it could not be sent. */
export function encodeRefusal(error: AppError): Uint8Array {
  const { code, message, details, retryAfterSeconds } = error;
  const some = details?.slice(0, maxDetails);
  return encodeBody({ code, message, details: some, retryAfterSeconds } satisfies RefusalBody);
}

/** Decodes the error of a refusal. It is `internal` when this side does not know the code. */
export function decodeRefusal(data: Uint8Array): AppError {
  const body = refusalBody(data);
  const code = body?.code;
  if (code === undefined || !Object.hasOwn(errorCodes, code)) {
    return new AppError('internal', `A service answered with an unknown error code: ${String(code)}.`);
  }
  const { details, retryAfterSeconds } = body ?? {};
  return new AppError(code, body?.message ?? code, { details, retryAfterSeconds });
}

function refusalBody(data: Uint8Array): Partial<RefusalBody> | undefined {
  try {
    return decodeBody(data) as Partial<RefusalBody> | undefined;
  } catch {
    return undefined;
  }
}
