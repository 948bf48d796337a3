import { AppError, conforming, queryError, redactValue, refuseUnserializable } from '@yardarm/shared/errors';
import { z } from 'zod';

/** What was sent, as the schema reads it. Throws `validation` with its problems. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  // The message repeats values, and serializing one that is nested too deep would overflow the stack.
  return conforming(schema, value, () => refuseUnserializable(value));
}

/** The names of the parameters of a query. */
export function parametersOf(query: z.ZodType): ReadonlySet<string> {
  // A registry without ids: the same schema may be named in another document.
  const { properties = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any', metadata: z.registry() });
  return new Set(Object.keys(properties));
}

/**
 * Throws `bad-data` for a parameter such as `project[]`. It would be ignored, and the answer would not be limited to
 * the project. Unknown names are ignored: consoles send them.
 */
export function refuseBrackets(known: ReadonlySet<string>, query: object): void {
  const name = Object.keys(query).find((key) => key.includes('[') && !known.has(key));
  if (name === undefined) return;
  const plain = redactValue(name.slice(0, name.indexOf('[')), []);
  throw new AppError(
    'bad-data',
    `The query has the parameter ${redactValue(name, [])}. Use ${plain}, without brackets.`,
  );
}

/** The query as the schema reads it. Throws `bad-data` with its problems. */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  return conforming(schema, query, undefined, queryError);
}
