// Proves that concurrent operations on the same flags do not deadlock. Postgres counts the deadlocks, because the
// transaction helper would retry and hide them.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const names = Array.from({ length: 6 }, (_, index) => `raced-${index}`);
const projects = ['default', 'second'];

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await sql`insert into projects (id, name) values ('second', 'Second')`.execute(rig.db.kysely);
  await sql`
    insert into project_environments (project, environment)
    values ('second', 'development'), ('second', 'production')`.execute(rig.db.kysely);
});
afterAll(() => rig?.stop());

const anyProject = fc.constantFrom(...projects);
const anyName = fc.constantFrom(...names);
const anyNames = fc.shuffledSubarray(names, { minLength: 2 });

type Operation = () => Promise<unknown>;

const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(anyName, anyProject).map(
    ([name, projectId]): Operation =>
      () =>
        rig.ask(contracts.createFeature, { projectId, name }),
  ),
  fc.tuple(anyName, anyName, anyProject).map(
    ([featureName, name, projectId]): Operation =>
      () =>
        rig.ask(contracts.cloneFeature, { projectId, featureName, name }),
  ),
  fc.tuple(anyName, anyProject, anyProject).map(
    ([featureName, projectId, newProjectId]): Operation =>
      () =>
        rig.ask(contracts.changeProject, { projectId, featureName, newProjectId }),
  ),
  fc
    .tuple(
      fc.constantFrom(contracts.archiveFeatures, contracts.reviveFeatures, contracts.deleteFeatures),
      anyNames,
      anyProject,
    )
    .map(
      ([contract, features, projectId]): Operation =>
        () =>
          rig.ask(contract, { projectId, features }),
    ),
  fc.tuple(anyNames, anyProject, fc.boolean()).map(
    ([features, projectId, enabled]): Operation =>
      () =>
        rig.ask(contracts.switchFeatures, { projectId, environment: 'production', features, enabled }),
  ),
  fc.tuple(anyName, anyProject, fc.boolean()).map(
    ([featureName, projectId, archived]): Operation =>
      () =>
        rig.ask(contracts.patchFeature, {
          ...{ projectId, featureName, operations: [{ op: 'replace', path: '/archived', value: archived }] },
        }),
  ),
);

it('concurrent random operations on the same flags end without a deadlock', { timeout: 120_000 }, async () => {
  await Promise.all(names.map((name) => rig.ask(contracts.createFeature, { projectId: 'default', name })));
  const batches = fc.sample(fc.array(anyOperation, { minLength: 12, maxLength: 12 }), 25);
  for (const batch of batches) {
    await Promise.all(
      batch.map((operate) =>
        operate().catch((error: unknown) => {
          if (!(error instanceof AppError) || error.status >= 500) throw error;
        }),
      ),
    );
  }
});
