import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readTree } from './imports.ts';
import { findViolations, rules } from './rules.ts';

const workspace = (name: string, exports: Record<string, string>, ...dependencies: string[]) =>
  JSON.stringify({
    name: `@yardarm/${name}`,
    exports,
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, '*'])),
  });

/** A tree without violations. Each case adds files to it or replaces them. */
const allowed: Record<string, string> = {
  'package.json': JSON.stringify({ name: 'yardarm', devDependencies: { vitest: '*', '@yardarm/testing': '*' } }),
  'packages/shared/package.json': workspace(
    'shared',
    {
      './bus': './bus/index.ts',
      './contracts': './contracts/index.ts',
      './db': './db/index.ts',
      './http': './http/index.ts',
    },
    ...['@nats-io/transport-node', '@opentelemetry/api', 'kysely', 'pg', 'zod'],
  ),
  'packages/shared/bus/index.ts': "import { connect } from '@nats-io/transport-node'; export const bus = connect;",
  'packages/shared/contracts/index.ts': "import { z } from 'zod'; export * from './flag.ts'; export const name = z;",
  'packages/shared/contracts/flag.ts': "export type { z } from 'zod';",
  'packages/shared/contracts/flag.test.ts': "import { test } from 'vitest'; import '@yardarm/testing';",
  'packages/shared/db/index.ts': "export { Kysely } from 'kysely'; import 'pg';",
  'packages/shared/db/testing/streams.ts': "import '@nats-io/transport-node';",
  'packages/shared/http/index.ts': "import { request } from 'node:https'; export const call = request;",
  'packages/shared/tracing/start-tracing.ts': "await import('./otel/exporting-tracer.ts');",
  'packages/shared/tracing/otel/exporting-tracer.ts': "import '@opentelemetry/api';",
  'packages/shared/service/health.ts': "import { createServer } from 'node:http'; createServer();",
  'packages/testing/package.json': workspace('testing', { '.': './index.ts' }, '@yardarm/shared'),
  'packages/testing/index.ts': "import '@yardarm/shared/db'; import '@yardarm/flags/service'; import 'node:http';",
  'packages/evaluation/package.json': workspace('evaluation', { '.': './index.ts' }),
  'packages/evaluation/index.ts': "import { createHash } from 'node:crypto'; export const hash = createHash;",
  'packages/console/package.json': JSON.stringify({ name: '@yardarm/console', devDependencies: { react: '*' } }),
  'packages/console/src/main.tsx':
    "import 'react'; import './page.tsx'; import '@yardarm/evaluation'; export * from '@yardarm/shared/contracts'; <p />;",
  'packages/console/src/page.tsx': '',
  'packages/console/src/page.test.tsx': "import '@yardarm/testing'; import 'node:fs';",
  'services/flags/package.json': workspace('flags', { './service': './service.ts' }, '@yardarm/shared', 'kysely'),
  'services/flags/service.ts': "import './features/features.repo.ts'; import '@yardarm/shared/bus';",
  'services/flags/features/feature.ts': "export type { Feature } from '@yardarm/shared/contracts';",
  'services/flags/features/features.repo.ts':
    "import { sql } from 'kysely'; import './feature.ts'; export const q = sql;",
  'services/flags/features/features.int.test.ts': "import 'kysely'; import '@yardarm/testing'; import './feature.ts';",
  'services/flags/db/migrations/index.ts': "import type { Kysely } from 'kysely'; export type K = Kysely<unknown>;",
  'services/integrations/package.json': workspace(
    'integrations',
    { './service': './service.ts' },
    'mustache',
    'standardwebhooks',
  ),
  'services/integrations/service.ts': "import 'mustache'; import 'standardwebhooks';",
  'services/gateway/package.json': workspace('gateway', { './service': './service.ts' }, '@yardarm/shared', 'express'),
  'services/gateway/listener/server.ts': "import { createServer } from 'node:http'; import 'express'; createServer();",
  'services/gateway/routing/stream.ts':
    "import type { ServerResponse } from 'node:http'; export type R = ServerResponse;",
  'services/gateway/sdk/snapshots/snapshots.ts': "import '@yardarm/shared/bus';",
  'packages/testing/servers.ts': "import '../../scripts/servers/nats.ts';",
  'scripts/servers/nats.ts': "import 'node:net';",
  'scripts/migrate.ts': "import '@yardarm/flags/service';",
  'e2e/flag.e2e.test.ts': "import '@yardarm/flags/service'; import '@yardarm/testing'; import 'vitest';",
};

const violations: { title: string; rule: string; files: Record<string, string> }[] = [
  {
    title: 'a service that imports another service',
    rule: 'services-are-apart',
    files: { 'services/gateway/listener/server.ts': "import '@yardarm/flags/service';" },
  },
  {
    title: 'a service that imports only a type of another service',
    rule: 'services-are-apart',
    files: { 'services/gateway/listener/server.ts': "export type S = import('@yardarm/flags/service').Service;" },
  },
  {
    title: 'a service that imports another service by a relative path',
    rule: 'services-are-apart',
    files: { 'services/gateway/listener/server.ts': "import '../../flags/service.ts';" },
  },
  {
    title: 'a library that imports a service',
    rule: 'services-are-apart',
    files: { 'packages/shared/http/index.ts': "import '@yardarm/flags/service';" },
  },
  {
    title: 'a gateway that imports the database package',
    rule: 'sql-in-repos',
    files: { 'services/gateway/listener/server.ts': "import type { Database } from '@yardarm/shared/db';" },
  },
  {
    title: 'a gateway that imports pg, even in a repo',
    rule: 'sql-in-repos',
    files: { 'services/gateway/auth/tokens.repo.ts': "import 'pg';" },
  },
  {
    title: 'contracts that import another sub-path of shared',
    rule: 'contracts-import-zod-alone',
    files: { 'packages/shared/contracts/flag.ts': "import '../http/index.ts';" },
  },
  {
    title: 'contracts that import a module of Node',
    rule: 'contracts-import-zod-alone',
    files: { 'packages/shared/contracts/flag.ts': "import { randomUUID } from 'node:crypto'; randomUUID();" },
  },
  {
    title: 'a service that makes spans by OpenTelemetry',
    rule: 'opentelemetry-in-one-folder',
    files: { 'services/flags/service.ts': "import type { Span } from '@opentelemetry/api';" },
  },
  {
    title: 'a start that always loads the folder of OpenTelemetry',
    rule: 'opentelemetry-in-one-folder',
    files: { 'packages/shared/tracing/start-tracing.ts': "import './otel/exporting-tracer.ts';" },
  },
  {
    title: 'another file that loads the folder of OpenTelemetry',
    rule: 'opentelemetry-in-one-folder',
    files: { 'packages/shared/http/index.ts': "await import('../tracing/otel/exporting-tracer.ts');" },
  },
  {
    title: 'an evaluation that reads a file',
    rule: 'evaluation-is-pure',
    files: { 'packages/evaluation/index.ts': "import { readFileSync } from 'node:fs'; readFileSync('x');" },
  },
  {
    title: 'an evaluation that asks the bus',
    rule: 'evaluation-is-pure',
    files: { 'packages/evaluation/index.ts': "import '@yardarm/shared/bus';" },
  },
  {
    title: 'a service that imports NATS',
    rule: 'nats-in-bus-alone',
    files: { 'services/flags/service.ts': "import '@nats-io/transport-node';" },
  },
  {
    title: 'another sub-path of shared than bus that imports a type of NATS',
    rule: 'nats-in-bus-alone',
    files: { 'packages/shared/db/outbox.ts': "import type { NatsConnection } from '@nats-io/transport-node';" },
  },
  {
    title: 'a use case that imports kysely',
    rule: 'sql-in-repos',
    files: { 'services/flags/features/archive-feature.ts': "import { sql } from 'kysely'; sql``;" },
  },
  {
    title: 'a use case that imports a type of kysely',
    rule: 'sql-in-repos',
    files: { 'services/flags/features/archive-feature.ts': "import type { Transaction } from 'kysely';" },
  },
  {
    title: 'a service that imports the driver',
    rule: 'sql-in-repos',
    files: { 'services/flags/service.ts': "import { Pool } from 'pg'; new Pool();" },
  },
  {
    title: 'an integration that makes a call without the guarded client',
    rule: 'http-client-is-guarded',
    files: { 'services/integrations/webhook.ts': "import { request } from 'node:https'; request('https://x');" },
  },
  {
    title: 'an HTTP module named without its prefix',
    rule: 'http-client-is-guarded',
    files: { 'services/integrations/webhook.ts': "const http = await import('http');" },
  },
  {
    title: 'undici in shared outside the guarded client',
    rule: 'http-client-is-guarded',
    files: { 'packages/shared/bus/index.ts': "import { fetch } from 'undici'; fetch('https://x');" },
  },
  {
    title: 'a template rendered outside integrations',
    rule: 'templates-and-signatures-in-integrations',
    files: { 'services/flags/service.ts': "import 'mustache';" },
  },
  {
    title: 'a signature made outside integrations',
    rule: 'templates-and-signatures-in-integrations',
    files: { 'packages/shared/http/index.ts': "import 'standardwebhooks';" },
  },
  {
    title: 'a route of administrators that imports a file of the SDK routes',
    rule: 'route-groups-are-apart',
    files: { 'services/gateway/admin/projects.routes.ts': "import '../sdk/snapshots/snapshots.ts';" },
  },
  {
    title: 'the console with the bus of a service',
    rule: 'console-is-a-client',
    files: { 'packages/console/src/page.tsx': "import '@yardarm/shared/bus';" },
  },
  {
    title: 'the console with a module of Node',
    rule: 'console-is-a-client',
    files: { 'packages/console/src/page.tsx': "import { readFileSync } from 'node:fs';" },
  },
  {
    title: 'a service that imports the console',
    rule: 'console-is-a-client',
    files: { 'services/flags/service.ts': "import '../../packages/console/src/page.tsx';" },
  },
  {
    title: 'express in a file of routes',
    rule: 'express-in-listener',
    files: { 'services/gateway/admin/backdoor.routes.ts': "import 'express';" },
  },
  {
    title: 'express outside the gateway',
    rule: 'express-in-listener',
    files: { 'services/flags/service.ts': "import 'express';" },
  },
  {
    title: 'a domain file that imports a repo',
    rule: 'domain-is-pure',
    files: { 'services/flags/targeting/strategies/strategy.ts': "import '../../features/features.repo.ts';" },
  },
  {
    title: 'a domain file that imports handlers',
    rule: 'domain-is-pure',
    files: {
      'services/flags/features/feature.ts': "import './features.handlers.ts';",
      'services/flags/features/features.handlers.ts': '',
    },
  },
  {
    title: 'a domain file that imports the bus',
    rule: 'domain-is-pure',
    files: { 'services/flags/features/feature.ts': "import '@yardarm/shared/bus';" },
  },
  {
    title: 'a domain file that imports the database, its folder named in an irregular plural',
    rule: 'domain-is-pure',
    files: { 'services/integrations/deliveries/delivery.ts': "import type { Database } from '@yardarm/shared/db';" },
  },
  {
    title: 'a domain file that reads a file',
    rule: 'domain-is-pure',
    files: { 'services/flags/features/feature.ts': "import { readFile } from 'node:fs/promises'; readFile('x');" },
  },
  {
    title: 'a service that imports the testing package',
    rule: 'testing-does-not-ship',
    files: { 'services/flags/service.ts': "import '@yardarm/testing';" },
  },
  {
    title: 'a migration command that imports the testing package',
    rule: 'testing-does-not-ship',
    files: { 'scripts/migrate.ts': "import type { Server } from '@yardarm/testing';" },
  },
  {
    title: 'a start command that imports the testing package by a relative path',
    rule: 'testing-does-not-ship',
    files: { 'scripts/start/main.ts': "import '../../packages/testing/index.ts';" },
  },
  {
    title: 'a service that imports its own testing folder',
    rule: 'testing-does-not-ship',
    files: {
      'services/flags/service.ts': "import './testing/flags-rig.ts';",
      'services/flags/testing/flags-rig.ts': "import '@yardarm/testing';",
    },
  },
  {
    title: 'a sub-path that a package does not export',
    rule: 'only-exported-sub-paths',
    files: { 'services/flags/service.ts': "import '@yardarm/shared/db/outbox';" },
  },
  {
    title: 'a relative path into another package',
    rule: 'only-exported-sub-paths',
    files: { 'services/flags/service.ts': "import '../../packages/shared/db/index.ts';" },
  },
  {
    title: 'a package that is imported but not declared',
    rule: 'declared-dependencies',
    files: { 'services/flags/service.ts': "import 'left-pad';" },
  },
  {
    title: 'a package that ships but is declared for development only',
    rule: 'declared-dependencies',
    files: { 'services/flags/service.ts': "import 'vitest';" },
  },
  {
    title: 'a dependency that no file imports',
    rule: 'no-unused-dependencies',
    files: { 'services/integrations/service.ts': "import 'mustache';" },
  },
  {
    title: 'two files that import each other',
    rule: 'no-cycles',
    files: {
      'services/flags/features/a.ts': "import './b.ts';",
      'services/flags/features/b.ts': "export * from './a.ts';",
    },
  },
  {
    title: 'three files in a cycle of types',
    rule: 'no-cycles',
    files: {
      'services/flags/features/a.ts': "import type { B } from './b.ts';",
      'services/flags/features/b.ts': "export type { C } from './c.ts';",
      'services/flags/features/c.ts': "export type A = import('./a.ts').A;",
    },
  },
];

const folders: string[] = [];
afterEach(() => {
  for (const root of folders.splice(0)) rmSync(root, { recursive: true });
});

/** The tree is in the temporary folder, so that this repository has no file that breaks a rule. */
function brokenRules(files: Record<string, string>): string[] {
  const root = mkdtempSync(path.join(tmpdir(), 'yardarm-rules-'));
  folders.push(root);
  for (const [file, text] of Object.entries({ ...allowed, ...files })) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return findViolations(readTree(root)).map(({ rule }) => rule);
}

test('finds nothing in a tree without violations', () => {
  expect(brokenRules({})).toEqual([]);
});

test.each(violations)('catches $title', ({ rule, files }) => {
  expect(brokenRules(files)).toContain(rule);
});

test('has a violation in this table for every rule', () => {
  const proven = new Set(violations.map(({ rule }) => rule));
  expect(
    [...rules.map(({ name }) => name), 'no-unused-dependencies', 'no-cycles'].filter((name) => !proven.has(name)),
  ).toEqual([]);
});

test('reports the place of the import and the reason', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'yardarm-rules-'));
  folders.push(root);
  for (const [file, text] of Object.entries({
    'package.json': allowed['package.json']!,
    'services/flags/package.json': workspace('flags', {}, '@nats-io/transport-node'),
    'services/flags/service.ts': "\n\nimport '@nats-io/transport-node';",
  })) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  expect(findViolations(readTree(root))).toEqual([
    {
      rule: 'nats-in-bus-alone',
      reason: expect.stringContaining('packages/shared/bus is the only code'),
      where: 'services/flags/service.ts:3',
      what: "imports '@nats-io/transport-node'",
    },
  ]);
});
