import type { TestSystem } from '@yardarm/testing';
import { fieldsOf, type Json, type JsonSchema } from './fields.ts';

interface Operation {
  method: string;
  path: string;
  tag: string;
  /** The fields of the body; null without one. */
  body: string[] | null;
  answer: string[];
}

export type Params = Record<string, string | number>;

/** Calls the operations of the served OpenAPI document. */
export interface Api {
  operations: ReadonlyMap<string, Operation>;
  called: ReadonlySet<string>;
  /** Throws for an answer that is no success. */
  call(
    operation: string,
    params?: Params,
    options?: { body?: unknown; query?: string; token?: string; headers?: Record<string, string> },
  ): Promise<Json>;
}

type Content = { content?: { 'application/json'?: { schema: JsonSchema } } };

interface Document {
  paths: Record<
    string,
    Record<string, { operationId: string; tags: string[]; requestBody?: Content; responses: Record<string, Content> }>
  >;
  components: { schemas: Record<string, JsonSchema> };
}

export async function openApi(system: TestSystem): Promise<Api> {
  const { paths, components } = (await system.call('GET', '/docs/openapi.json')).body as Document;
  const fields = (content: Content | undefined) => {
    const schema = content?.content?.['application/json']?.schema;
    return schema ? fieldsOf(schema, components.schemas) : null;
  };
  const operations = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, tags, requestBody, responses }]) => {
        const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
        const described = { body: fields(requestBody), answer: fields(success) ?? [] };
        return [operationId, { method: method.toUpperCase(), path, tag: tags[0] ?? '', ...described }] as const;
      }),
    ),
  );
  const called = new Set<string>();
  return {
    operations,
    called,
    async call(name, params = {}, { query = '', ...options } = {}) {
      called.add(name);
      const operation = operations.get(name);
      if (operation === undefined) throw new Error(`There is no operation ${name}.`);
      const path = operation.path.replace(/\{(\w+)\}/g, (_, param) => encodeURIComponent(`${params[param]}`));
      const answer = await system.call(operation.method, path + query, options);
      if (answer.status < 300) return answer.body;
      throw new Error(`${operation.method} ${path}: ${answer.status} ${answer.text}`);
    },
  };
}
