import { acceptedSignalSchema } from '@yardarm/shared/contracts/signals';
import { describeIssues } from '@yardarm/shared/errors';
import { z } from 'zod';

/** A signal as it is stored. */
export interface StoredSignal {
  id: number;
  endpointId: number;
  tokenId: number;
  /** JSON text. */
  payload: string;
  createdAt: string;
}

// The gateway has parsed the payload; what it is does not matter here. The rest fits its columns: Postgres knows no year 0.
const messageSchema = acceptedSignalSchema.extend({
  sourceId: z.int32(),
  createdBySourceTokenId: z.int32(),
  createdAt: z.iso.datetime().refine((time) => !time.startsWith('0000'), 'should lie after the year 0'),
  payload: z.unknown().optional(),
});

/** Reads a message of the stream; tells the reason when it is no signal. */
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

/** The value as JSON text; null when it is nested too deep for that. A NUL is escaped in it, so that Postgres takes it as text. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    // Parsed JSON has no circles and no big integers: only the depth of the stack is left.
    return null;
  }
}
