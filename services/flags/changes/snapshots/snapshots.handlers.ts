import { type Frame, type ServedContext, splitIntoPieces } from '@yardarm/shared/bus';
import type { fetchSnapshot as contract, listRevisions as revisionsContract } from '@yardarm/shared/contracts/flags';
import type { Kysely } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { FlagsTables } from '../../db/schema.ts';
import { findFeatureTypes } from '../../features/feature-types/feature-types.repo.ts';
import { environmentNotFound } from '../../places/environments/environment.ts';
import type { FlagsResources } from '../../resources.ts';
import { readLargeSnapshot } from './read-large-snapshot.ts';
import { readChanges } from './snapshot.ts';
import { findAllRevisions, findEnvironmentState } from './snapshots.repo.ts';

type SnapshotPart = z.output<typeof contract.output>;

export async function listRevisions({ db }: FlagsResources): Promise<z.output<typeof revisionsContract.output>> {
  const rows = await findAllRevisions(db.kysely);
  // Without assignments by name: an object inherits what its names `constructor` and `__proto__` mean.
  const ofEnvironments = Map.groupBy(rows, ({ environment }) => environment);
  const environments = Object.fromEntries(
    [...ofEnvironments].flatMap(([environment, ofProjects]) => {
      const revisions = ofProjects.flatMap(({ project, revision }) =>
        project !== null && revision !== null ? [[project, revision] as const] : [],
      );
      return environment === null ? [] : [[environment, Object.fromEntries(revisions)] as const];
    }),
  );
  return { epoch: rows[0]!.epoch, environments, featureTypes: await findFeatureTypes(db.kysely) };
}

/**
 * The changes of an environment in parts, each with the epoch and the revisions of the whole. A whole environment takes
 * many times as long to encode at once as a part. One read finds all changes before the first part is sent, so a slow
 * reader occupies no connection. What is too large for one read is read in portions.
 */
export async function* fetchSnapshot(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): AsyncGenerator<SnapshotPart | Frame> {
  const state = await readSnapshot(resources.db.kysely, input);
  if (state.isLarge) return yield* readLargeSnapshot(resources, input, context);
  const { isLarge, changed, removed, changedSegments, removedSegments, ...about } = state;
  const empty = { ...about, changed: [], removed: [], changedSegments: [], removedSegments: [] };
  const isEmpty = [changed, removed, changedSegments, removedSegments].every((list) => list.length === 0);
  if (isEmpty) yield empty;
  for (const piece of splitIntoPieces(changed)) yield { ...empty, changed: piece };
  for (const piece of splitIntoPieces(removed)) yield { ...empty, removed: piece };
  for (const piece of splitIntoPieces(changedSegments)) yield { ...empty, changedSegments: piece };
  for (const piece of splitIntoPieces(removedSegments)) yield { ...empty, removedSegments: piece };
}

async function readSnapshot(db: Kysely<FlagsTables>, { environment, known }: z.output<typeof contract.input>) {
  return await readChanges(known, async (since) => {
    const state = await findEnvironmentState(db, environment, since);
    if (state === null) throw environmentNotFound(environment);
    return state;
  });
}
