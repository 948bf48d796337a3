import { acceptedSignalSchema } from '@yardarm/shared/contracts/signals';
import { describeIssues } from '@yardarm/shared/errors';
import { z } from 'zod';

export interface StoredSignal {
  id: number;
  endpointId: number;
  tokenId: number;
  /** JSON text. */
  payload: string;
  createdAt: string;
}

// The payload may be any JSON. The other fields must fit their columns, and Postgres has no year 0.
const messageSchema = acceptedSignalSchema.extend({
  sourceId: z.int32(),
  createdBySourceTokenId: z.int32(),
  createdAt: z.iso.datetime().refine((time) => !time.startsWith('0000'), 'should be after the year 0'),
  payload: z.unknown().optional(),
});

/** Reads a message of SIGNALS. Returns the reason when it is no signal. */
export function readSignal(message: unknown): { signal: StoredSignal } | { fault: string } {
  const result = messageSchema.safeParse(message);
  if (!result.success) {
    return {
      fault: describeIssues(result.error.issues, message)
        .map((issue) => issue.message)
        .join(' '),
    };
  }
  const { id, sourceId, createdBySourceTokenId, createdAt, payload } = result.data;
  const text = jsonText(payload ?? null);
  if (text === null) return { fault: 'The payload is nested too deep to be written out.' };
  return { signal: { id, endpointId: sourceId, tokenId: createdBySourceTokenId, payload: text, createdAt } };
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
