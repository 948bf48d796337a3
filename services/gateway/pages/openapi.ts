import { TimeBudget } from '@yardarm/evaluation';
import { type ErrorCode, errorCodes, transportErrors } from '@yardarm/shared/contracts';
import { version } from '@yardarm/shared/telemetry';
import type { z } from 'zod';
import { SessionCookie } from '../auth/session-cookie.ts';
import { bodyTypesOf } from '../routing/read-body.ts';
import type { Audience, Route } from '../routing/route.ts';
import { errorExample } from './error-examples.ts';
import { exampleOf, type JsonSchema } from './example.ts';
import { createSchemas, type Schemas } from './schemas.ts';
import { compatibleVersion } from './version.ts';

/** The errors of authentication, which any route with this audience may answer. */
const errorsOfAudiences: Record<Audience, readonly ErrorCode[]> = {
  admin: ['unauthenticated', 'no-access', 'forbidden', 'rate-limited'],
  client: ['unauthenticated', 'no-access', 'rate-limited'],
  frontend: ['unauthenticated', 'no-access', 'rate-limited'],
  evaluation: ['unauthenticated', 'no-access', 'rate-limited'],
  signal: ['unauthenticated', 'no-access', 'rate-limited'],
  public: [],
};

const inHeader = [{ apiKey: [] }, { bearer: [] }];
const securityOfAudiences: Record<Audience, readonly object[]> = {
  admin: [...inHeader, { session: [] }],
  client: inHeader,
  frontend: inHeader,
  evaluation: [...inHeader, { xApiKey: [] }],
  signal: inHeader,
  public: [],
};

/** For readers of the document. Each line is one kind of callers. */
const authentication = `\
- **Administrators** send an admin token, a personal access token or the token of a service account in the header \`Authorization\`. A browser has a \
session from \`POST /auth/simple/login\`.
- **SDKs** send a client or frontend token of an environment in the same header.
- **Senders of signals** send a token of the endpoint, as \`Authorization: Bearer <token>\`.

An error is JSON with \`id\`, \`name\`, \`message\` and \`details\`. Each operation names its errors.`;

const callers: Record<Audience, string> = {
  admin: 'For administrators',
  client: 'For client tokens',
  frontend: 'For frontend tokens',
  evaluation: 'For client and frontend tokens, also in the header `X-API-Key`',
  signal: 'For tokens of the signal endpoint',
  public: 'For everybody, without a token',
};

/** Who may send a request, as a sentence. */
function callersOf({ audience, permission }: Route): string {
  const permissions = [permission ?? []].flat().map((name) => `\`${name}\``);
  return `${callers[audience]}${permissions.length === 0 ? '' : ` with ${permissions.join(' or ')}`}.`;
}

/** Takes 0.3 s of CPU time. Other requests run between two routes. */
export async function openApiDocument(routes: readonly Route[], basePath = ''): Promise<object> {
  const slices = new TimeBudget(Number.POSITIVE_INFINITY);
  const schemas = createSchemas(routes);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, schemas) };
    await slices.next();
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Yardarm',
      version: compatibleVersion,
      'x-yardarm-version': version,
      description: authentication,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    // The server that the document was fetched from.
    servers: [{ url: basePath || '/' }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'Authorization' },
        bearer: { type: 'http', scheme: 'bearer' },
        xApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        session: { type: 'apiKey', in: 'cookie', name: new SessionCookie(basePath).name(true) },
      },
      schemas: {
        ...schemas.components,
        errorSchema: {
          type: 'object',
          required: ['id', 'name', 'message', 'details'],
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

function operation(route: Route, schemas: Schemas): object {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: callersOf(route),
    tags: [route.tag],
    ...(route.isDeprecated ? { deprecated: true } : {}),
    ...(route.permission ? { 'x-permission': [route.permission].flat() } : {}),
    security: securityOfAudiences[route.audience],
    parameters: [
      ...parameters(route.params, 'path', schemas),
      ...parameters(route.query, 'query', schemas),
      ...headerParameters(route),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: json(route.body, 'input', schemas, bodyTypesOf(route)),
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
        ...(route.answer.schema ? { content: json(route.answer.schema, 'output', schemas) } : {}),
        ...(route.answer.mediaType ? { content: { [route.answer.mediaType]: { schema: { type: 'string' } } } } : {}),
      },
      ...errors(route),
    },
  };
}

function errors(route: Route): Record<string, object> {
  const codes = new Set([
    ...route.errors,
    ...errorsOfAudiences[route.audience],
    // A route for administrators refuses names with brackets, also without a query of its own.
    ...(route.query || route.audience === 'admin' ? (['bad-data'] as const) : []),
    ...(route.body ? (['validation', 'content-type', 'content-too-large'] as const) : []),
    ...transportErrors.filter((code) => code !== 'maintenance' || route.writes === true),
  ]);
  const statuses = Map.groupBy(codes, (code) => errorCodes[code].status);
  return Object.fromEntries([...statuses].map(([status, group]) => [status, refusal(route, group)]));
}

function refusal(route: Route, codes: readonly ErrorCode[]): object {
  const examples = codes.map((code) => [errorCodes[code].name, { value: errorExample(code, route) }] as const);
  const hasRetryAfter = codes.some((code) => code === 'rate-limited' || code === 'unavailable');
  return {
    description: [...new Set(examples.map(([name]) => name))].join(' or '),
    ...(hasRetryAfter && {
      headers: { 'retry-after': { description: 'How many seconds to wait', schema: { type: 'integer' } } },
    }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/errorSchema' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function parameters(values: z.ZodType | undefined, place: 'path' | 'query', schemas: Schemas): object[] {
  if (!values) return [];
  const { properties = {}, required = [] } = schemas.of(values, 'input');
  return Object.entries(properties).map(([name, of]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(of.description === undefined ? {} : { description: of.description }),
    schema: of,
  }));
}

function headerParameters({ headers = {} }: Route): object[] {
  return Object.entries(headers).map(([name, description]) => ({
    ...{ name, in: 'header', required: false, description, schema: { type: 'string' } },
  }));
}

function json(
  of: z.ZodType,
  side: 'input' | 'output',
  schemas: Schemas,
  types: readonly string[] = ['application/json'],
): Record<string, object> {
  const schema: JsonSchema = schemas.of(of, side);
  const example = exampleOf(schema, schemas.components);
  const media = { schema, ...(example === undefined ? {} : { example }) };
  return Object.fromEntries(types.map((type) => [type, media]));
}
