// Proves for random operations on whole flags that a gateway which applies deltas has the same bytes as a new one, and
// that the revision of an environment and project rises by one exactly when SDKs see a change there.
import { randomBytes, randomUUID } from 'node:crypto';
import { loadFlagsConfig } from '@yardarm/flags/config';
import { startFlags } from '@yardarm/flags/service';
import { EnvironmentSnapshot } from '@yardarm/gateway/environment-snapshot';
import { Scope } from '@yardarm/gateway/scope';
import { View } from '@yardarm/gateway/views';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import type { RequestContract } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { z } from 'zod';

const projects = ['default', 'second'] as const;
const environments = ['development', 'production'] as const;

let database: TestDatabase;
let service: RunningService;
let bus: Bus;

beforeAll(async () => {
  database = await createTestDatabase();
  const config = loadFlagsConfig({
    NATS_URL: inject('natsUrl'),
    DATABASE_URL: database.urlFor('flags'),
    YARDARM_PREFIX: `t${randomBytes(6).toString('hex')}`,
    LOG_LEVEL: 'error',
  });
  const log = createLogger({ service: 'test', level: 'error' });
  service = await startFlags(config, log);
  bus = await connectBus({ url: config.NATS_URL, name: 'test', prefix: config.YARDARM_PREFIX, log });
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query(`
    insert into flags.projects (id, name) values ('second', 'Second');
    insert into flags.project_environments (project, environment)
    values ('second', 'development'), ('second', 'production');
    insert into flags.revisions (environment, project)
    values ('development', 'second'), ('production', 'second')`);
  await owner.end();
});
afterAll(async () => {
  await bus?.drain();
  await service?.drain();
  await service?.stop();
  await database?.drop();
});

const context = (): RequestContext => ({
  requestId: randomUUID(),
  actor: { kind: 'admin-token', id: -42, username: 'root', grants: [{ permissions: ['ADMIN'] }] },
  deadline: Date.now() + 20_000,
  traceparent: null,
});
const ask = <C extends RequestContract>(contract: C, input: z.input<C['input']>) =>
  bus.request(contract, input, context());

type Operation = (name: (index: number) => string) => Promise<unknown>;

const anyProject = fc.constantFrom(...projects);
const anyIndex = fc.nat({ max: 4 });
const anyIndexes = fc.uniqueArray(anyIndex, { minLength: 1, maxLength: 4 });
const anyEnvironment = fc.constantFrom(...environments);

/** Each may be refused, because the flag does not exist, is in the other project or is (not) archived. */
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(anyIndex, anyProject).map(
      ([index, projectId]): Operation =>
        (name) =>
          ask(contracts.createFeature, { projectId, name: name(index) }),
    ),
  },
  fc.tuple(anyIndex, anyIndex, anyProject).map(
    ([from, to, projectId]): Operation =>
      (name) =>
        ask(contracts.cloneFeature, { projectId, featureName: name(from), name: name(to) }),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(anyIndex, anyProject, anyProject).map(
      ([index, projectId, newProjectId]): Operation =>
        (name) =>
          ask(contracts.changeProject, { projectId, featureName: name(index), newProjectId }),
    ),
  },
  fc.tuple(anyIndex, anyProject).map(
    ([index, projectId]): Operation =>
      (name) =>
        ask(contracts.archiveFeature, { projectId, featureName: name(index) }),
  ),
  anyIndex.map(
    (index): Operation =>
      (name) =>
        ask(contracts.reviveFeature, { featureName: name(index) }),
  ),
  anyIndex.map(
    (index): Operation =>
      (name) =>
        ask(contracts.deleteFeature, { featureName: name(index) }),
  ),
  fc
    .tuple(
      fc.constantFrom(contracts.archiveFeatures, contracts.reviveFeatures, contracts.deleteFeatures),
      anyIndexes,
      anyProject,
    )
    .map(
      ([contract, indexes, projectId]): Operation =>
        (name) =>
          ask(contract, { projectId, features: indexes.map(name) }),
    ),
  fc.tuple(anyIndexes, anyProject, fc.boolean()).map(
    ([indexes, projectId, stale]): Operation =>
      (name) =>
        ask(contracts.staleFeatures, { projectId, features: indexes.map(name), stale }),
  ),
  fc.tuple(anyIndex, anyProject, anyEnvironment, fc.boolean()).map(
    ([index, projectId, environment, enabled]): Operation =>
      (name) =>
        ask(contracts.switchFeatures, { projectId, environment, features: [name(index)], enabled }),
  ),
  fc.tuple(anyIndex, anyProject, fc.constantFrom('a', null)).map(
    ([index, projectId, description]): Operation =>
      (name) =>
        ask(contracts.updateFeature, { projectId, featureName: name(index), description }),
  ),
);

async function synchronise(snapshot: EnvironmentSnapshot): Promise<EnvironmentSnapshot> {
  const { environment, known } = snapshot;
  const pieces: z.output<typeof contracts.fetchSnapshot.output>[] = [];
  for await (const piece of bus.requestMany(contracts.fetchSnapshot, { environment, known }, context()))
    pieces.push(piece);
  expect(pieces[0]!.isWhole).toBe(known === null);
  snapshot.apply({
    ...pieces[0]!,
    changed: pieces.flatMap(({ changed }) => changed),
    removed: pieces.flatMap(({ removed }) => removed),
    changedSegments: pieces.flatMap(({ changedSegments }) => changedSegments),
    removedSegments: pieces.flatMap(({ removedSegments }) => removedSegments),
  });
  return snapshot;
}

/** The listing of some projects. Its ETag has their revisions. */
function listingOf(snapshot: EnvironmentSnapshot, names: string[]): string {
  const scope = new Scope({ environment: snapshot.environment, projects: names, segmentFormat: 'inlined' });
  return new View(snapshot, scope).listing().plain.toString();
}
const bytesOf = (snapshot: EnvironmentSnapshot) =>
  [['*'], ...projects.map((project) => [project])].map((names) => listingOf(snapshot, names));
/** The flags that SDKs of an environment see in a project. */
const flagsOf = (snapshot: EnvironmentSnapshot, project: string) =>
  JSON.stringify(JSON.parse(listingOf(snapshot, [project])).features);

let run = 0;

test('random operations: deltas lead to the whole, and revisions rise exactly with visible changes', {
  timeout: 300_000,
}, async () => {
  const sequences = fc.array(anyOperation, { minLength: 5, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(sequences, async (operations) => {
      run += 1;
      const prefix = `run-${run}-`;
      const readers = environments.map((name) => ({
        every: new EnvironmentSnapshot(name),
        third: new EnvironmentSnapshot(name),
        before: new EnvironmentSnapshot(name),
      }));
      for (const { every, third, before } of readers) await Promise.all([every, third, before].map(synchronise));
      for (const [step, operate] of operations.entries()) {
        await operate((index) => `${prefix}${index}`).catch((error: unknown) => {
          if (!(error instanceof AppError) || error.status >= 500) throw error;
        });
        for (const reader of readers) {
          const whole = await synchronise(new EnvironmentSnapshot(reader.every.environment));
          expect(bytesOf(await synchronise(reader.every))).toEqual(bytesOf(whole));
          if (step % 3 === 2) expect(bytesOf(await synchronise(reader.third))).toEqual(bytesOf(whole));
          for (const project of projects) {
            const hasChanged = flagsOf(whole, project) !== flagsOf(reader.before, project);
            const raised = whole.known!.revisions[project]! - reader.before.known!.revisions[project]!;
            expect(raised).toBe(hasChanged ? 1 : 0);
          }
          reader.before = whole;
        }
      }
    }),
    { numRuns: 20 },
  );
});
