/** The limits of one piece, such as a frame of an answer. */
export interface PieceLimits {
  bytes: number;
  items: number;
}

/**
 * NATS refuses messages above its max_payload, 1 MB unless the operator lowers it. A quarter of it holds a few hundred
 * flags and keeps the buffers of a slow reader small. It leaves space for headers and for one item that is larger than
 * a piece: a flag's strategies may have 500 kB, an event a million bytes.
 */
export const pieceLimits: PieceLimits = { bytes: 256_000, items: 1000 };

/** Divides the items into pieces within the limits, in order. An item above the limit is a piece by itself. */
export function splitIntoPieces<Item>(
  items: readonly Item[],
  limits?: PieceLimits,
  bytesOf?: (item: Item) => number,
): Item[][] {
  return [...piecesOf(items, limits, bytesOf)];
}

/** The same. Each piece is measured when it is asked for, so that other work can run between two of them. */
export function* piecesOf<Item>(
  items: Iterable<Item>,
  limits: PieceLimits = pieceLimits,
  bytesOf: (item: Item) => number = bytesAsJson,
): Generator<Item[]> {
  let piece: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (piece.length > 0 && (bytes + size > limits.bytes || piece.length >= limits.items)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

function bytesAsJson(item: unknown): number {
  return bytesOfItem(JSON.stringify(item));
}

/** The bytes of an item of a list that is JSON already, with the comma after it. */
export function bytesOfItem(text: string): number {
  return Buffer.byteLength(text) + 1;
}
