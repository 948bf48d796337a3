/** Public ids, both ends included. */
export interface IdRange {
  first: number;
  last: number;
}

/**
 * Which events RECORDED has passed over: public ids have no gap, so one that is jumped lies in the log and did not come. `lastId` is the
 * newest that came before, `wantedFrom` the first id that any integration waits for.
 */
export function missedBetween(lastId: number, arrived: readonly number[], wantedFrom: number): IdRange[] {
  const missed: IdRange[] = [];
  let last = lastId;
  for (const id of arrived) {
    const first = Math.max(last + 1, wantedFrom);
    if (first < id) missed.push({ first, last: id - 1 });
    last = Math.max(last, id);
  }
  return missed;
}
