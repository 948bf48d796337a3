import { inPieces } from '@yardarm/shared/bus';
import type { fetchSnapshot as contract, listRevisions as revisionsContract } from '@yardarm/shared/contracts/flags';
import type { Kysely } from '@yardarm/shared/db';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { FlagsTables } from '../db/schema.ts';
import { findFeatureTypes } from '../feature-types/feature-types.repo.ts';
import { isBehind, type KnownState } from './snapshot.ts';
import { findAllRevisions, findMoment, type Moment } from './snapshots.repo.ts';

type SnapshotPiece = z.output<typeof contract.output>;

/** The revisions of every environment, with the epoch they belong to, and the feature types. */
export async function listRevisions(db: Kysely<FlagsTables>): Promise<z.output<typeof revisionsContract.output>> {
  const rows = await findAllRevisions(db);
  const environments: Record<string, Record<string, number>> = {};
  for (const { environment, project, revision } of rows) {
    if (environment === null) continue;
    environments[environment] ??= {};
    if (project !== null && revision !== null) environments[environment][project] = revision;
  }
  return { epoch: rows[0]!.epoch, environments, featureTypes: await findFeatureTypes(db) };
}

/**
 * What changed in an environment, in pieces that each say the epoch and the revisions of the whole. All of it is read in one
 * moment before the first piece leaves, so the connection is free however slowly the pieces are taken.
 */
export async function* fetchSnapshot(
  db: Kysely<FlagsTables>,
  { environment, known }: z.output<typeof contract.input>,
): AsyncGenerator<SnapshotPiece> {
  const { changed, removed, ...about } = await readSnapshot(db, environment, known);
  const empty = { ...about, changed: [], removed: [] };
  if (changed.length === 0 && removed.length === 0) yield empty;
  for (const piece of inPieces(changed)) yield { ...empty, changed: piece };
  for (const piece of inPieces(removed)) yield { ...empty, removed: piece };
}

/** The delta is read before it is known to be one: it hardly ever is not, and the revisions that tell must be of its moment. */
async function readSnapshot(
  db: Kysely<FlagsTables>,
  environment: string,
  known: KnownState | null,
): Promise<Moment & { isWhole: boolean }> {
  if (known !== null) {
    const delta = found(await findMoment(db, environment, known.revisions), environment);
    if (isBehind(known, delta)) return { ...delta, isWhole: false };
  }
  return { ...found(await findMoment(db, environment, null), environment), isWhole: true };
}

function found(moment: Moment | null, environment: string): Moment {
  if (moment !== null) return moment;
  throw new AppError('not-found', `Could not find the environment with name ${redactValue(environment, [])}.`);
}
