// The OpenAPI document, held to the routes that it is made of: over a real bus, which nobody asks anything.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { createLogger } from '@yardarm/shared/log';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createTokens } from '../authentication/tokens.ts';
import { createUnknownTokenLimit } from '../authentication/unknown-token-limit.ts';
import { loadGatewayConfig } from '../config.ts';
import type { Route } from '../http/route.ts';
import { routes } from '../routes.ts';
import { type Snapshots, startSnapshots } from '../snapshots/snapshots.ts';
import { openApiDocument } from './openapi.ts';
import { ownVersion } from './version.ts';

interface Media {
  content?: { 'application/json'?: { example?: unknown } };
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
let document: { info: Record<string, unknown>; paths: Record<string, Record<string, Operation>> };

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
  const tokens = createTokens(bus, createUnknownTokenLimit(0));
  table = routes(bus, snapshots, tokens, loadGatewayConfig({ NATS_URL: inject('natsUrl') }));
  document = openApiDocument(table) as typeof document;
});

afterAll(async () => {
  snapshots?.stop();
  await bus?.drain();
});

test('has every route once, and nothing else', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(described.sort()).toEqual(table.map((one) => nameOf(one).replace(/:(\w+)/g, '{$1}')).sort());
  const ids = table.map(({ operationId }) => operationId);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('gives every body an example that its route takes', () => {
  const faults = table
    .filter(({ body }) => body !== undefined)
    .filter((one) => {
      const example = exampleIn(operationOf(one).requestBody);
      return example === undefined || !one.body?.safeParse(example).success;
    });
  expect(faults.map(nameOf)).toEqual([]);
});

test('gives every answer an example that its schema allows', () => {
  const faults = table
    .filter(({ answer }) => answer.schema !== undefined)
    .filter((one) => {
      const example = exampleIn(operationOf(one).responses[one.answer.status]);
      return example === undefined || !one.answer.schema?.safeParse(example).success;
    });
  expect(faults.map(nameOf)).toEqual([]);
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

test('says of every route that is not public how to get in, and what happens to who does not', () => {
  for (const one of table) {
    const { security, responses } = operationOf(one);
    const refusals = Object.keys(responses).filter((status) => ['401', '403', '429'].includes(status));
    if (one.door === 'public') expect([nameOf(one), security]).toEqual([nameOf(one), []]);
    else expect([nameOf(one), refusals, security.length > 0]).toEqual([nameOf(one), ['401', '403', '429'], true]);
  }
});

test("says Yardarm's own version, which is the package's", () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(ownVersion).toBe(version);
  expect(document.info).toMatchObject({ version: '6.10.0', 'x-yardarm-version': version });
});
