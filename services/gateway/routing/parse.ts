import { conforming, queryError, refuseUnserializable } from '@yardarm/shared/errors';
import type { z } from 'zod';

/** What was sent, as the schema reads it. Throws `validation` with its problems. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  // The message repeats values, and serializing one that is nested too deep would overflow the stack.
  return conforming(schema, value, () => refuseUnserializable(value));
}

/** The query as the schema reads it. Throws `bad-data` with its problems. */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  return conforming(schema, query, undefined, queryError);
}
