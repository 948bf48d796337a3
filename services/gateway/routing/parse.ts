import { payloadError, refuseUnserializable } from '@yardarm/shared/errors';
import type { z } from 'zod';

/** What was sent, as the schema reads it. Throws `validation` with every issue. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // The message repeats values, and serializing one that is nested too deep would overflow the stack.
  refuseUnserializable(value);
  throw payloadError(result.error.issues, value);
}
