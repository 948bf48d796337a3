import { z } from 'zod';
import type { Route } from '../http/route.ts';
import type { JsonSchema } from './example.ts';
import { nameOfAnswer, nameOfBody, nouns } from './schema-names.ts';

/** Which side of a schema is described: what is sent to us, or what we answer. */
type Side = 'input' | 'output';

/** The schemas of one document: what is named stands in `components` once, and is referred to. */
export interface Schemas {
  components: Record<string, JsonSchema>;
  /** The schema as it stands in its place: a reference when it has a name. */
  of(schema: z.ZodType, side: Side): JsonSchema;
}

/** Names the bodies and answers of the routes, so that no generator has to invent a name. */
export function createSchemas(routes: readonly Route[]): Schemas {
  const names = z.registry<{ id: string }>();
  const add = (schema: z.ZodType | undefined, id: string) => {
    if (schema !== undefined && !names.has(schema)) names.add(schema, { id });
  };
  for (const [id, noun] of Object.entries(nouns)) add(noun, id);
  for (const route of routes) {
    add(route.body, nameOfBody(route));
    add(route.answer.schema, nameOfAnswer(route));
  }
  const components: Record<string, JsonSchema> = {};
  const twoSided = namesOfTwoSided();
  return {
    components,
    of(schema, side) {
      const named = (id: string) => (side === 'input' && twoSided.has(id) ? id.replace(/Schema$/, 'InputSchema') : id);
      const { $defs = {}, ...rest } = toJson(schema, side, names);
      for (const [id, definition] of Object.entries($defs)) {
        const component = withReferences(definition, named);
        const same = components[named(id)] ?? component;
        if (JSON.stringify(same) !== JSON.stringify(component))
          throw new Error(`two schemas have the name ${named(id)}`);
        components[named(id)] = component;
      }
      return withReferences(rest, named);
    },
  };
}

/** Nouns that may be sent with less than they are answered with, because of defaults: these are two schemas. */
function namesOfTwoSided(): Set<string> {
  const nameless = z.registry<{ id: string }>();
  const text = (schema: z.ZodType, side: Side) => JSON.stringify(toJson(schema, side, nameless));
  const both = Object.entries(nouns).filter(([, noun]) => text(noun, 'input') !== text(noun, 'output'));
  return new Set(both.map(([name]) => name));
}

function toJson(schema: z.ZodType, side: Side, names: z.core.$ZodRegistry<{ id: string }>): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: side,
    metadata: names,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // Answers may come to have more properties, and clients should not break by it.
      if (side === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // What zod leaves out with a registry of our own, and where something is transformed: it cannot know on which side of it they
      // stand. Ours are what is sent.
      if (jsonSchema.$ref !== undefined) return;
      const { description, examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description = description;
      if (Array.isArray(examples) && examples.length > 0) jsonSchema.examples = examples;
    },
  });
  return json as JsonSchema;
}

/** The same with references to where an OpenAPI document keeps its schemas. */
function withReferences<Json>(json: Json, named: (id: string) => string): Json {
  const text = JSON.stringify(json, (key, value) =>
    key === '$ref' && typeof value === 'string'
      ? value.replace(/^#\/\$defs\/(.+)$/, (_, id: string) => `#/components/schemas/${named(id)}`)
      : value,
  );
  return JSON.parse(text) as Json;
}
