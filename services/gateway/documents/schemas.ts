import { z } from 'zod';
import type { Route } from '../http/route.ts';
import type { JsonSchema } from './example.ts';
import { nameOfAnswer, nameOfBody, nouns } from './schema-names.ts';

/** A schema describes a request or an answer; defaults and transforms make the two differ. */
type Side = 'input' | 'output';

export interface Schemas {
  components: Record<string, JsonSchema>;
  /** The schema in its place: a reference when it has a name. */
  of(schema: z.ZodType, side: Side): JsonSchema;
}

/** Names all bodies and answers of the routes, so that a client generator does not invent names. */
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
  const asymmetric = asymmetricNouns();
  return {
    components,
    of(schema, side) {
      const named = (id: string) =>
        side === 'input' && asymmetric.has(id) ? id.replace(/Schema$/, 'InputSchema') : id;
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

/** Nouns whose input and output differ, because of defaults. Each is two schemas. */
function asymmetricNouns(): Set<string> {
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
      // Later versions may add properties to answers, and clients should not break.
      if (side === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // zod omits descriptions and examples with a registry of our own, and for transforms: it does not know whether
      // they describe the input or the output. Ours describe the JSON that is sent.
      if (jsonSchema.$ref !== undefined) return;
      const { description, examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description = description;
      if (Array.isArray(examples) && examples.length > 0) jsonSchema.examples = examples;
    },
  });
  return json as JsonSchema;
}

/** Replaces references to `$defs` by references to `components`. */
function withReferences<Json>(json: Json, named: (id: string) => string): Json {
  const text = JSON.stringify(json, (key, value) =>
    key === '$ref' && typeof value === 'string'
      ? value.replace(/^#\/\$defs\/(.+)$/, (_, id: string) => `#/components/schemas/${named(id)}`)
      : value,
  );
  return JSON.parse(text) as Json;
}
