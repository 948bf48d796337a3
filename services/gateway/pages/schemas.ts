import { z } from 'zod';
import type { Route } from '../routing/route.ts';
import type { JsonSchema } from './example.ts';

/** A schema describes a request or an answer; defaults and transforms make the two differ. */
type Side = 'input' | 'output';

export interface Schemas {
  components: Record<string, JsonSchema>;
  /** The schema in its place: a reference when it has a name. */
  of(schema: z.ZodType, side: Side): JsonSchema;
}

/** Names all bodies and answers of the routes, so that a client generator does not invent names. */
export function createSchemas(routes: readonly Route[]): Schemas {
  const names = new SchemaNames();
  for (const { operationId, bodyName, answerName, body, answer } of routes) {
    names.addUnlessNamed(body, bodyName ?? `${operationId}Schema`);
    names.addUnlessNamed(answer.schema, answerName ?? `${operationId}ResponseSchema`);
  }
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    of(schema, side) {
      const named = (id: string) =>
        side === 'input' && names.isAsymmetric(id) ? id.replace(/Schema$/, 'InputSchema') : id;
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

/**
 * The names of schemas in the document. A noun has the id that its schema declares (`.meta({ id })`). Any other body or
 * answer has a name of its route.
 */
class SchemaNames extends z.core.$ZodRegistry<{ id: string }> {
  readonly #nouns = new Map<string, z.core.$ZodType>();
  readonly #asymmetric = new Map<string, boolean>();

  addUnlessNamed(schema: z.ZodType | undefined, id: string): void {
    if (schema !== undefined && this.get(schema)?.id === undefined) this.add(schema, { id });
  }

  override get(schema: z.core.$ZodType): { id: string } | undefined {
    const id = z.globalRegistry.get(schema)?.id;
    if (id === undefined) return super.get(schema);
    this.#nouns.set(id, schema);
    return { id };
  }

  /** Whether input and output of a noun differ, because of defaults. Such a noun is two schemas. */
  isAsymmetric(id: string): boolean {
    const noun = this.#nouns.get(id);
    if (noun === undefined) return false;
    const nameless = z.registry<{ id: string }>();
    const text = (side: Side) => JSON.stringify(toJson(noun, side, nameless));
    const known = this.#asymmetric.get(id) ?? text('input') !== text('output');
    this.#asymmetric.set(id, known);
    return known;
  }
}

function toJson(schema: z.core.$ZodType, side: Side, names: z.core.$ZodRegistry<{ id: string }>): JsonSchema {
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
