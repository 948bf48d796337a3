import { encodeTexts, type Frame } from '@yardarm/shared/bus';
import { listActionRuns as contract } from '@yardarm/shared/contracts/signals';
import { actionSetNotFound } from '../action-sets/action-set.ts';
import { findActionSet } from '../action-sets/action-sets.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { listRuns } from './listed-runs.repo.ts';
import { type ListedRun, runText } from './run-text.ts';

/** A page takes 20 MB of memory with the largest payloads (900 kB), and 2.5 MB with the default limit (100 kB). */
const pageSize = 25;

/**
 * The runs of an action set, newest first. Each later page continues below the last id and not at an offset,
 * so new runs do not shift the pages. A payload is the text that was sent, so the answer is made of texts.
 */
export async function* listActionRuns(
  { db }: SignalsResources,
  { projectId, actionSetId, limit, offset }: { projectId: string; actionSetId: number; limit: number; offset: number },
): AsyncGenerator<Frame> {
  if (!(await findActionSet(db.kysely, projectId, actionSetId))) throw actionSetNotFound(actionSetId);
  let beforeId: number | null = null;
  for (let remaining = limit; remaining > 0; ) {
    const size = Math.min(remaining, pageSize);
    const skip = beforeId === null ? offset : 0;
    const page: ListedRun[] = await listRuns(db.kysely, { actionSetId, beforeId, skip, limit: size });
    yield* encodeTexts(contract, page.map(runText));
    const last = page.at(-1);
    if (last === undefined || page.length < size) return;
    beforeId = last.id;
    remaining -= page.length;
  }
}
