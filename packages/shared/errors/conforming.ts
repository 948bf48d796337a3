import type { z } from 'zod';
import type { AppError } from './app-error.ts';
import { payloadError } from './issues.ts';
import { hasAtMost } from './json-size.ts';

/** In a value with more, only the first problem is sought: describing all takes microseconds for each. */
const maxValuesForAll = 1_000;

/**
 * The option of the library that its `validate` sets. A list or an object is left at its first item or property that is
 * not of its type. Records are read to their end, so what is sent needs a bound of properties too (`JsonBounds`).
 */
const stopAtFirst: object = { abortEarly: true };

/**
 * The value as the schema reads it. Throws what `errorOf` makes of its problems, by default `validation`, each with
 * property and value. Of a large value they are only the first. `beforeError` runs before the value is described.
 */
export function conforming<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  beforeError?: () => void,
  errorOf: (issues: readonly z.core.$ZodIssue[], value: unknown) => AppError = payloadError,
): z.output<Schema> {
  const first = schema.safeParse(value, stopAtFirst);
  if (first.success) return first.data;
  beforeError?.();
  const result = hasAtMost(maxValuesForAll, value) ? schema.safeParse(value) : first;
  throw errorOf(result.error?.issues ?? first.error.issues, value);
}
