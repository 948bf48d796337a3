import { inPieces } from '@yardarm/shared/bus';
import type {
  ClientFeature,
  fetchSnapshot as contract,
  listRevisions as revisionsContract,
} from '@yardarm/shared/contracts/flags';
import type { Database } from '@yardarm/shared/db';
import { AppError, shownValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { FlagsTables } from '../db/schema.ts';
import { type KnownState, type Revisions, wantedSince } from './snapshot.ts';
import {
  hasEnvironment,
  type RemovedFeature,
  readAllRevisions,
  readClientFeatures,
  readEpoch,
  readRemovedFeatures,
  readRevisions,
} from './snapshots.repo.ts';

type SnapshotPiece = z.output<typeof contract.output>;

interface Snapshot {
  epoch: string;
  revisions: Revisions;
  isWhole: boolean;
  changed: ClientFeature[];
  removed: RemovedFeature[];
}

/** The revisions of every environment, with the epoch they belong to. */
export async function listRevisions(db: Database<FlagsTables>): Promise<z.output<typeof revisionsContract.output>> {
  return await db.transaction(
    async (trx) => {
      const environments: Record<string, Record<string, number>> = {};
      for (const { environment, project, revision } of await readAllRevisions(trx)) {
        environments[environment] ??= {};
        if (project !== null && revision !== null) environments[environment][project] = revision;
      }
      return { epoch: await readEpoch(trx), environments };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

/**
 * What changed in an environment, in pieces that each say the epoch and the revisions of the whole. All of it is read in one
 * moment before the first piece leaves, so the transaction is closed however slowly the pieces are taken.
 */
export async function* fetchSnapshot(
  db: Database<FlagsTables>,
  { environment, known }: z.output<typeof contract.input>,
): AsyncGenerator<SnapshotPiece> {
  const { changed, removed, ...about } = await readSnapshot(db, environment, known);
  const empty = { ...about, changed: [], removed: [] };
  if (changed.length === 0 && removed.length === 0) yield empty;
  for (const piece of inPieces(changed)) yield { ...empty, changed: piece };
  for (const piece of inPieces(removed)) yield { ...empty, removed: piece };
}

async function readSnapshot(
  db: Database<FlagsTables>,
  environment: string,
  known: KnownState | null,
): Promise<Snapshot> {
  return await db.transaction(
    async (trx) => {
      if (!(await hasEnvironment(trx, environment))) {
        throw new AppError('not-found', `Could not find the environment with name ${shownValue(environment, [])}.`);
      }
      const epoch = await readEpoch(trx);
      const revisions = await readRevisions(trx, environment);
      const since = wantedSince(known, epoch, revisions);
      const changed = await readClientFeatures(trx, environment, since);
      const removed = since === null ? [] : await readRemovedFeatures(trx, environment, since);
      return { epoch, revisions, isWhole: since === null, changed, removed };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}
