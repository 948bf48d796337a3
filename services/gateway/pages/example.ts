/** The parts of zod's JSON Schema that examples need. */
export interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  description?: string;
  examples?: unknown[];
  const?: unknown;
  default?: unknown;
  enum?: unknown[];
  type?: string | string[];
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

/**
 * The schema's own example, or one made of the examples of its parts, without optional properties that have none.
 * Undefined when a required part has no example.
 */
export function exampleOf(schema: JsonSchema, definitions: Record<string, JsonSchema> = schema.$defs ?? {}): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.$ref !== undefined) {
    const definition = definitions[schema.$ref.split('/').at(-1) ?? ''];
    return definition && exampleOf(definition, definitions);
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const examples = choices.map((choice) => exampleOf(choice, definitions));
    return (
      examples.find((example) => example !== undefined && example !== null) ?? examples.find((one) => one === null)
    );
  }
  if (schema.type === 'boolean') return true;
  if (schema.format === 'date-time') return '2026-01-31T12:00:00.000Z';
  if (schema.type === 'array') return schema.items && listOf(exampleOf(schema.items, definitions));
  if (schema.type === 'object' && schema.properties)
    return objectOf(schema.properties, schema.required ?? [], definitions);
  return [schema.type].flat().includes('null') ? null : undefined;
}

function listOf(item: unknown): unknown[] | undefined {
  return item === undefined ? undefined : [item];
}

function objectOf(
  properties: Record<string, JsonSchema>,
  required: readonly string[],
  definitions: Record<string, JsonSchema>,
): Record<string, unknown> | undefined {
  const entries = Object.entries(properties).map(([name, part]) => [name, exampleOf(part, definitions)] as const);
  if (entries.some(([name, example]) => example === undefined && required.includes(name))) return undefined;
  return Object.fromEntries(entries.filter(([, example]) => example !== undefined));
}
