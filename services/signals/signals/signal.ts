import { acceptedSignalSchema } from '@yardarm/shared/contracts/signals';
import { AppError, describeIssues } from '@yardarm/shared/errors';
import { z } from 'zod';

export interface StoredSignal {
  id: number;
  endpointId: number;
  tokenId: number;
  /** The payload as the text of JSON that was sent. */
  payload: string;
  createdAt: string;
  /** The incarnation of the stream that delivered the signal; null when it is not known. */
  streamIncarnation: string | null;
  streamSequence: number;
}

// The payload may be any JSON. The other fields must fit their columns, and Postgres has no year 0. Gateways of the
// version before `payloadText` send the parsed payload.
const messageSchema = acceptedSignalSchema.extend({
  sourceId: z.int32(),
  createdBySourceTokenId: z.int32(),
  createdAt: z.iso.datetime().refine((time) => !time.startsWith('0000'), 'should be after the year 0'),
  payload: z.unknown().optional(),
  payloadText: z.string().refine(isJson, 'should be JSON').optional(),
});

/** Reads a message of SIGNALS, which this incarnation delivered. Returns the reason when it is no signal. */
export function readSignal(
  message: { payload: unknown; sequence: number },
  incarnation: string | null,
): { signal: StoredSignal } | { problem: string } {
  const result = messageSchema.safeParse(message.payload);
  if (!result.success) {
    return {
      problem: describeIssues(result.error.issues, message.payload)
        .map((issue) => issue.message)
        .join(' '),
    };
  }
  const { id, sourceId, createdBySourceTokenId, createdAt, payload, payloadText } = result.data;
  const text = payloadText ?? jsonText(payload ?? null);
  if (text === null) return { problem: 'The payload is nested too deep to be written out.' };
  return {
    signal: {
      ...{ id, endpointId: sourceId, tokenId: createdBySourceTokenId, payload: text, createdAt },
      ...{ streamIncarnation: incarnation, streamSequence: message.sequence },
    },
  };
}

/** The value as JSON text, or null when it is nested too deep. JSON escapes NUL, so Postgres can store the text. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    // Parsed JSON has no cycles and no bigints, so only the depth can exceed the stack.
    return null;
  }
}

/** Lists send the text as it is. Text that is no JSON would make their answers unreadable. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function signalNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the signal with ID "${id}".`);
}
