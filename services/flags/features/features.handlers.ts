import { inPieces, pieceLimits } from '@yardarm/shared/bus';
import type { Feature } from '@yardarm/shared/contracts/flags';
import type { Kysely } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import { listFeaturesAfter } from './feature-views.repo.ts';
import { hasProject } from './features.repo.ts';
import { projectNotFound } from './not-found.ts';

/** What the contract promises a piece to have at most; also what is read at once, so that a large project takes little memory. */
const flagsInAPiece = 100;

/** The flags of a project by name. Each piece is of its own moment: a flag made meanwhile may be in the list or not. */
export async function* listFeatures(
  db: Kysely<FlagsTables>,
  { projectId }: { projectId: string },
): AsyncGenerator<{ features: Feature[] }> {
  if (!(await hasProject(db, projectId))) throw projectNotFound(projectId);
  let after = '';
  let isFirst = true;
  for (;;) {
    const features = await listFeaturesAfter(db, projectId, after, flagsInAPiece);
    if (isFirst && features.length === 0) yield { features };
    for (const piece of inPieces(features, { ...pieceLimits, items: flagsInAPiece })) yield { features: piece };
    const last = features.at(-1);
    if (last === undefined || features.length < flagsInAPiece) return;
    after = last.name;
    isFirst = false;
  }
}
