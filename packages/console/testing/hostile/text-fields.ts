/** A JSON Schema, as far as bodies of the OpenAPI document use it. */
interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema | false;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
}

interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

/** The operations of administrators that make something, each with the fields of its body that take any text. */
export function freeTexts({ paths, components }: Document): [path: string, fields: string[]][] {
  return Object.entries(paths).flatMap(([path, { post }]): [string, string[]][] => {
    const schema = path.startsWith('/api/admin/') && post?.requestBody?.content['application/json']?.schema;
    return schema ? [[path, [...new Set(textsOf(schema, components.schemas))]]] : [];
  });
}

function textsOf(schema: Schema, schemas: Record<string, Schema>, path = ''): string[] {
  const below = (part: Schema, at: string) => textsOf(part, schemas, at);
  if (schema.$ref) return below(schemas[schema.$ref.split('/').at(-1)!]!, path);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap((choice) => below(choice, path));
  if (schema.items) return below(schema.items, path);
  const named = Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    below(part, path === '' ? name : `${path}.${name}`),
  );
  if (named.length > 0) return named;
  const isText = [schema.type].flat().includes('string');
  return isText && !('enum' in schema || 'const' in schema || schema.format || schema.pattern) ? [path] : [];
}

/** The paths of the texts of a body that begin with a mark. */
export function markedTexts(body: unknown, mark: string, path = ''): string[] {
  if (typeof body === 'string') return body.startsWith(mark) ? [path] : [];
  if (Array.isArray(body)) return body.flatMap((part) => markedTexts(part, mark, path));
  return Object.entries(body ?? {}).flatMap(([name, part]) =>
    markedTexts(part, mark, path === '' ? name : `${path}.${name}`),
  );
}
