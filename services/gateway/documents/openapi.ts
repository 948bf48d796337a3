import { type ErrorCode, errorCodes, errorsOfTheWay } from '@yardarm/shared/contracts';
import { z } from 'zod';
import { sessionCookie } from '../authentication/session-cookie.ts';
import type { Door, Route } from '../http/route.ts';
import { exampleOf, type JsonSchema } from './example.ts';
import { compatibleVersion, ownVersion } from './version.ts';

/** Codes that any route may answer with because of its door, whatever its own list says. */
const errorsOfDoors: Record<Door, readonly ErrorCode[]> = {
  admin: ['unauthenticated', 'no-access', 'forbidden', 'rate-limited'],
  client: ['unauthenticated', 'no-access', 'rate-limited'],
  frontend: ['unauthenticated', 'no-access', 'rate-limited'],
  signal: ['unauthenticated', 'no-access', 'rate-limited'],
  public: [],
};

const inHeader = [{ apiKey: [] }, { bearer: [] }];
const securityOfDoors: Record<Door, readonly object[]> = {
  admin: [...inHeader, { session: [] }],
  client: inHeader,
  frontend: inHeader,
  signal: inHeader,
  public: [],
};

/** The OpenAPI 3.1 document of the routes, made from the same values that are mounted. */
export function openApiDocument(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Yardarm',
      version: compatibleVersion,
      'x-yardarm-version': ownVersion,
      license: { name: 'Apache-2.0' },
    },
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'Authorization' },
        bearer: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
      },
      schemas: {
        error: {
          type: 'object',
          required: ['id', 'name', 'message'],
          properties: {
            id: { type: 'string', description: 'Id of the error instance' },
            name: { type: 'string', description: 'Name of the error kind' },
            message: { type: 'string', description: 'What went wrong' },
            path: { type: 'string', description: 'Where to log in' },
            type: { type: 'string', description: 'How to log in' },
            details: {
              type: 'array',
              items: {
                type: 'object',
                required: ['message'],
                properties: {
                  message: { type: 'string' },
                  path: { type: 'string' },
                  validationErrors: { type: 'array', items: { type: 'string' } },
                },
              },
            },
          },
        },
      },
    },
  };
}

function operation(route: Route): object {
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    ...(route.isDeprecated ? { deprecated: true } : {}),
    ...(route.permission ? { 'x-permission': [route.permission].flat() } : {}),
    security: securityOfDoors[route.door],
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...(route.body
      ? {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: json(schema(route.body, 'input')),
          },
        }
      : {}),
    responses: {
      [route.answer.status]: {
        description: 'Done',
        ...(route.answer.headers
          ? {
              headers: Object.fromEntries(
                Object.entries(route.answer.headers).map(([name, description]) => [
                  name,
                  { description, schema: { type: 'string' } },
                ]),
              ),
            }
          : {}),
        ...(route.answer.schema ? { content: json(schema(route.answer.schema, 'output')) } : {}),
        ...(route.answer.mediaType ? { content: { [route.answer.mediaType]: { schema: { type: 'string' } } } } : {}),
      },
      ...errors(route),
    },
  };
}

function errors(route: Route): Record<string, object> {
  const codes = new Set([
    ...route.errors,
    ...errorsOfDoors[route.door],
    ...(route.body ? (['validation', 'content-type', 'content-too-large'] as const) : []),
    ...errorsOfTheWay,
  ]);
  const names = new Map<number, Set<string>>();
  for (const code of codes) {
    const { status, name } = errorCodes[code];
    names.set(status, (names.get(status) ?? new Set()).add(name));
  }
  return Object.fromEntries(
    [...names].map(([status, set]) => [
      status,
      { description: [...set].join(' or '), content: json({ $ref: '#/components/schemas/error' }) },
    ]),
  );
}

function parameters(values: z.ZodType | undefined, place: 'path' | 'query'): object[] {
  if (!values) return [];
  const { properties = {}, required = [] } = schema(values, 'input');
  return Object.entries(properties).map(([name, of]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: of,
  }));
}

function json(of: JsonSchema): object {
  const example = exampleOf(of);
  return { 'application/json': { schema: of, ...(example === undefined ? {} : { example }) } };
}

function schema(of: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(of, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // Left out by zod where something is transformed, since it cannot know on which side of it they stand. Ours are what is sent.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (Array.isArray(examples) && examples.length > 0) jsonSchema.examples = examples;
    },
  });
  return rest as JsonSchema;
}
