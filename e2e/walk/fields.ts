/** A JSON Schema, as far as documents of OpenAPI and contracts use it. */
export interface JsonSchema {
  $ref?: string;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  type?: string;
  properties?: Record<string, JsonSchema>;
  /** False behind the items of a tuple, whose parts no body names. */
  items?: JsonSchema | false;
  maxItems?: number;
  const?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read properties of bodies and answers and compare them.
export type Json = any;

/**
 * The paths of the fields of a schema that can have two values, such as `constraints[].operator`. A map with keys of
 * the caller's choice is one field.
 */
export function fieldsOf(schema: JsonSchema, schemas: Record<string, JsonSchema> = {}, path = ''): string[] {
  if (schema.$ref) return fieldsOf(schemas[schema.$ref.split('/').at(-1) as string] ?? {}, schemas, path);
  const choices = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (choices.length > 0) return [...new Set(choices.flatMap((choice) => fieldsOf(choice, schemas, path)))];
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([name, property]) =>
      fieldsOf(property, schemas, path === '' ? name : `${path}.${name}`),
    );
  }
  if (schema.type === 'array') {
    const { items = {}, maxItems } = schema;
    return maxItems === 0 || items === false ? [] : fieldsOf(items, schemas, `${path}[]`);
  }
  return 'const' in schema || schema.type === 'null' ? [] : [path];
}

/** The fields below a path, named from there. */
export function fieldsBelow(fields: readonly string[], at: string): string[] {
  if (at === '') return [...fields];
  const below = fields.filter((field) => field.startsWith(at));
  return below.map((field) => field.slice(at.length).replace(/^\./, ''));
}

/** The values that a body or an answer has at a path. */
export function valuesAt(value: Json, path: string): Json[] {
  let values: Json[] = [value];
  for (const [, name, isList] of path.matchAll(/([^.[\]]*)(\[\])?\.?/g)) {
    if (name) values = values.map((each) => each?.[name]);
    if (isList) values = values.flatMap((each) => each ?? []);
  }
  return values.filter((each) => each !== undefined);
}
