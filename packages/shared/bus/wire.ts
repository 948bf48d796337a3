import { type ErrorCode, type ErrorDetail, errorCodes } from '../contracts/errors.ts';
import { AppError } from '../errors/index.ts';

/** A value as the body of a message; undefined is the empty body. */
export function encodeBody(value: unknown): Uint8Array {
  return value === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(value));
}

/** The value of a body; throws a SyntaxError when it is no JSON. */
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

/** An error as the body of a refusal. */
export function encodeRefusal(error: AppError): Uint8Array {
  const { code, message, details, retryAfterSeconds } = error;
  return encodeBody({ code, message, details, retryAfterSeconds } satisfies RefusalBody);
}

/** The error of a refusal; `internal` when the other side speaks of something that this side does not know. */
export function decodeRefusal(data: Uint8Array): AppError {
  const body = refusalBody(data);
  const code = body?.code;
  if (code === undefined || !Object.hasOwn(errorCodes, code)) {
    return new AppError('internal', `A service refused for a reason unknown here: ${String(code)}.`);
  }
  const { details, retryAfterSeconds } = body ?? {};
  return new AppError(code, body?.message ?? code, { details, retryAfterSeconds });
}

function refusalBody(data: Uint8Array): Partial<RefusalBody> | undefined {
  try {
    return decodeBody(data) as Partial<RefusalBody> | undefined;
  } catch {
    // No refusal of ours: told as unknown by the caller of this.
    return undefined;
  }
}
