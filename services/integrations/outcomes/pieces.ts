/** As one message of NATS takes a megabyte, and JSON inside JSON grows, a quarter of it is filled. */
const pieceBytes = 256 * 1024;

/** Splits a page into pieces that are sent one by one, in order; one that is large by itself goes alone. */
export function inPieces<T extends { size: number }>(page: readonly T[], limit: number = pieceBytes): T[][] {
  const pieces: T[][] = [];
  let room = 0;
  for (const entry of page) {
    const last = pieces.at(-1);
    if (last && entry.size <= room) {
      last.push(entry);
      room -= entry.size;
    } else {
      pieces.push([entry]);
      room = limit - entry.size;
    }
  }
  return pieces;
}
