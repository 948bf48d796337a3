/** Who sends a request. `person` is the first admin with a personal access token, which the scenario makes. */
export type Sender = 'admin' | 'person' | 'client' | 'frontend' | 'nobody';

/** One request, the same for both systems. `{name}` in a path or body is a value that an earlier answer gave. */
export interface ComparedRequest {
  method: string;
  path: string;
  body?: unknown;
  as?: Sender;
  /** Values for later requests, by name: where the answer has them, as in `variants.0.name`. */
  save?: Record<string, string>;
}

export type Saved = Record<string, unknown>;

/** Replaces `{name}` by its value. A text that is only `{name}` becomes the value itself, such as a number. */
export function fill<Value>(value: Value, saved: Saved): Value {
  const text = JSON.stringify(value);
  if (text === undefined) return value;
  const whole = text.replaceAll(/"\{(\w+)\}"/g, (place, name: string) =>
    name in saved ? JSON.stringify(saved[name]) : place,
  );
  return JSON.parse(whole.replaceAll(/\{(\w+)\}/g, (place, name: string) => String(saved[name] ?? place))) as Value;
}

/** The property of an answer at a path such as `environments.0.name`. */
export function valueAt(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
}

/** The parts of an OpenAPI document that requests are made from. */
export interface ApiDocument {
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, ApiSchema> };
}
interface ApiOperation {
  requestBody?: { content: Record<string, { schema: ApiSchema }> };
}
interface ApiSchema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, ApiSchema>;
}

/** Streams, pages, what the scenario has, and what would change the tokens and people that it needs. */
const leftOut =
  /stream|\/delta|export$|^\/(?!api\/admin)|-tokens\/|user\/tokens\/|user-admin\/\{id\}|logout|change-password|admin\/validate/;

/**
 * Every GET with the values in `saved`, and again with names of nothing; every body with values of wrong types, and as
 * a text. None of these changes anything. `saved` has values of path parameters; the scenario saves the others.
 */
export function requestsOfRoutes({ paths, components }: ApiDocument, saved: Saved): ComparedRequest[] {
  const unknown = Object.fromEntries(Object.keys(saved).map((name) => [name, 'unknown-name']));
  const requests: ComparedRequest[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    if (leftOut.test(path)) continue;
    for (const [method, operation] of Object.entries(operations)) {
      const request = { method: method.toUpperCase(), path };
      const parameters = path.match(/\{\w+\}/g) ?? [];
      if (method === 'get') {
        requests.push({ ...request, path: fill(path, saved) });
        if (parameters.length > 0) requests.push({ ...request, path: fill(path, unknown) });
      }
      const schema = operation.requestBody?.content['application/json']?.schema;
      if (schema === undefined) continue;
      const properties = propertiesOf(schema, components.schemas);
      const wrong = Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, wrongValue(of)]));
      requests.push({ ...request, path: fill(path, saved), body: 'text' });
      if (Object.keys(wrong).length > 0) requests.push({ ...request, path: fill(path, saved), body: wrong });
    }
  }
  return requests;
}

function propertiesOf(schema: ApiSchema, schemas: Record<string, ApiSchema>): Record<string, ApiSchema> {
  const named = schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1) as string];
  return named?.properties ?? {};
}

/** A value of another type than the schema's. */
function wrongValue({ type }: ApiSchema): unknown {
  return [type].flat().includes('object') ? 'text' : { wrong: true };
}
