export interface IdRange {
  first: number;
  last: number;
}

/**
 * The events that RECORDED did not contain. Public ids have no gaps, so a skipped id is in the log and was not
 * published. `lastId` is the newest id before, `firstNeeded` the first id that any integration receives.
 */
export function missedBetween(lastId: number, ids: readonly number[], firstNeeded: number): IdRange[] {
  const missed: IdRange[] = [];
  let last = lastId;
  for (const id of ids) {
    const first = Math.max(last + 1, firstNeeded);
    if (first < id) missed.push({ first, last: id - 1 });
    last = Math.max(last, id);
  }
  return missed;
}
