// The OpenAPI document compared with the routes. The bus is real and gets no requests.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { createLogger } from '@yardarm/shared/log';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ErrorBody } from '../routing/error-body.ts';
import type { Route } from '../routing/route.ts';
import { type Snapshots, startSnapshots } from '../sdk/snapshots/snapshots.ts';
import { routeTables } from '../testing/route-tables.ts';
import { openApiDocument } from './openapi.ts';

interface Media {
  content?: {
    'application/json'?: {
      example?: unknown;
      schema: { $ref?: string };
      examples?: Record<string, { value: ErrorBody }>;
    };
  };
}
interface Operation {
  operationId: string;
  security: object[];
  parameters: { name: string; in: string; schema: object }[];
  requestBody?: Media;
  responses: Record<string, Media>;
}

let bus: Bus;
let snapshots: Snapshots;
let table: Route[];
let turnsMeanwhile = 0;
let document: {
  info: Record<string, unknown>;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};

const log = createLogger({ service: 'test', level: 'silent' });
const operationOf = ({ path, method }: Route) => document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method] as Operation;
const exampleIn = (media: Media | undefined) => media?.content?.['application/json']?.example;
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

beforeAll(async () => {
  bus = await connectBus({
    url: inject('natsUrl'),
    prefix: `t${randomBytes(6).toString('hex')}`,
    log,
    name: 'gateway',
  });
  snapshots = startSnapshots(bus, log);
  table = Object.values(routeTables(bus, snapshots, log)).flat();
  let timer = setImmediate(function next() {
    turnsMeanwhile += 1;
    timer = setImmediate(next);
  });
  document = (await openApiDocument(table)) as typeof document;
  clearImmediate(timer);
});

afterAll(async () => {
  snapshots?.stop();
  await bus?.drain();
});

test('lets other work run while it is made', () => {
  expect(turnsMeanwhile).toBeGreaterThan(10);
});

test('has every route once, and nothing else', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(described.sort()).toEqual(table.map((one) => nameOf(one).replace(/:(\w+)/g, '{$1}')).sort());
  const ids = table.map(({ operationId }) => operationId);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('gives every body an example that its route accepts', () => {
  const problems = table
    .filter(({ body }) => body !== undefined)
    .filter((one) => {
      const example = exampleIn(operationOf(one).requestBody);
      return example === undefined || !one.body?.safeParse(example).success;
    });
  expect(problems.map(nameOf)).toEqual([]);
});

test('gives every answer an example that its schema allows', () => {
  const problems = table
    .filter(({ answer }) => answer.schema !== undefined)
    .filter((one) => {
      const example = exampleIn(operationOf(one).responses[one.answer.status]);
      return example === undefined || !one.answer.schema?.safeParse(example).success;
    });
  expect(problems.map(nameOf)).toEqual([]);
});

test('describes every parameter of every path', () => {
  for (const one of table) {
    const inPath = operationOf(one).parameters.filter((parameter) => parameter.in === 'path');
    expect([nameOf(one), inPath.map(({ name }) => name).sort()]).toEqual([
      nameOf(one),
      [...one.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string).sort(),
    ]);
  }
});

test('describes the credentials and the refusals of every route that is not public', () => {
  for (const one of table) {
    const { security, responses } = operationOf(one);
    const refusals = Object.keys(responses).filter((status) => ['401', '403', '429'].includes(status));
    if (one.audience === 'public') expect([nameOf(one), security]).toEqual([nameOf(one), []]);
    else expect([nameOf(one), refusals, security.length > 0]).toEqual([nameOf(one), ['401', '403', '429'], true]);
  }
});

test('names the schema of every JSON body and answer, and contains every schema that is referred to', () => {
  const media = table.flatMap((one) => {
    const { requestBody, responses } = operationOf(one);
    return [requestBody, ...Object.values(responses)].map((of) => of?.content?.['application/json']);
  });
  expect(media.filter((of) => of && !/^#\/components\/schemas\/\w+Schema$/.test(of.schema.$ref ?? ''))).toEqual([]);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to as string);
  const named = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect([...new Set(references)].toSorted()).toEqual(named.toSorted());
});

test('refers to a noun by its name wherever it occurs', () => {
  const { usersSchema, eventSearchResponseSchema } = document.components.schemas;
  expect(usersSchema).toMatchObject({ properties: { users: { items: { $ref: '#/components/schemas/userSchema' } } } });
  expect(eventSearchResponseSchema).toMatchObject({
    properties: { events: { items: { $ref: '#/components/schemas/eventSchema' } } },
  });
});

test('has an example of every error, with the required permission', () => {
  const problems = table.flatMap((one) => {
    const { responses } = operationOf(one);
    return Object.entries(responses).flatMap(([status, { content }]) => {
      if (Number(status) < 400) return [];
      const examples = Object.entries(content?.['application/json']?.examples ?? {});
      const isComplete =
        examples.length > 0 && examples.every(([name, { value }]) => value.name === name && value.message);
      return isComplete ? [] : [`${nameOf(one)} ${status}`];
    });
  });
  expect(problems).toEqual([]);
  const messages = (path: string, method: string, status: string) =>
    Object.values(document.paths[path]?.[method]?.responses[status]?.content?.['application/json']?.examples ?? {}).map(
      ({ value }) => value.message,
    );
  expect(messages('/api/admin/addons', 'post', '403')[0]).toContain('"CREATE_ADDON"');
  const environment = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
  expect(messages(`${environment}/on`, 'post', '403')[0]).toContain('"production" environment');
  expect(messages('/api/client/features', 'get', '403')[0]).toContain('"CLIENT"');
});

test('every URL in an example is a valid URI', () => {
  // RFC 3986 allows only ASCII.
  const addresses = [...JSON.stringify(document).matchAll(/"(https?:[^"]*)"/g)].map(([, address]) => address as string);
  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.filter((address) => !/^[!-~]+$/.test(address))).toEqual([]);
});

test('has the server and the licence', () => {
  expect(document).toMatchObject({ servers: [{ url: '/' }], info: { license: { identifier: 'Apache-2.0' } } });
});

test("has Yardarm's own version, which is that of the package", () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(document.info).toMatchObject({ version: '6.10.0', 'x-yardarm-version': version });
});
