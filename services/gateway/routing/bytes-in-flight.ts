/** One that is smaller is complete within one read or write of the socket as a rule, and its end is near. */
export const minBytes = 16_000;

export interface Transfer {
  bytes: number;
  /** Ends it. Undefined for one that is kept. */
  giveWay: (() => void) | undefined;
}

/**
 * The bytes of transfers that memory has. Clients that send or read slowly, or never to the end, cannot take all of it,
 * nor can those that send faster than their bodies are worked on:
 *
 *   added    It has no bytes yet.
 *   growing  Each part is counted until it is released. When all exceed the bound, the oldest one that has more than
 *            `minBytes` gives way: a client in good faith completes it in seconds.
 *   kept     It is complete, and its bytes are still needed. They count, but it does not give way.
 *   removed  It is needed no more, refused, or the connection has ended.
 */
export class BytesInFlight {
  readonly #maxBytes: number;
  /** The oldest comes first. */
  readonly #transfers = new Set<Transfer>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(giveWay: () => void): Transfer {
    const transfer: Transfer = { bytes: 0, giveWay };
    this.#transfers.add(transfer);
    return transfer;
  }

  grow(transfer: Transfer, bytes: number): void {
    transfer.bytes += bytes;
    this.#bytes += bytes;
    for (const each of this.#transfers) {
      if (this.#bytes <= this.#maxBytes) return;
      if (each.bytes < minBytes || !each.giveWay) continue;
      this.remove(each);
      each.giveWay();
    }
  }

  keep(transfer: Transfer): void {
    transfer.giveWay = undefined;
  }

  /** Its bytes so far are needed no more. It may grow again. */
  release(transfer: Transfer): void {
    if (!this.#transfers.has(transfer)) return;
    this.#bytes -= transfer.bytes;
    transfer.bytes = 0;
  }

  remove(transfer: Transfer): void {
    this.release(transfer);
    this.#transfers.delete(transfer);
  }
}

/**
 * Bodies that many answers have at once, such as the first event of thousands of streams. Memory has each of them once,
 * so it is one transfer, from the first answer that keeps it until the last one is read. When it gives way, all answers
 * that still have it do.
 */
export class SharedInFlight {
  readonly #bytesInFlight: BytesInFlight;
  readonly #shared = new Map<Buffer, { transfer: Transfer; holders: Set<() => void> }>();

  constructor(bytesInFlight: BytesInFlight) {
    this.#bytesInFlight = bytesInFlight;
  }

  /** Counts the body until the returned function is called. `giveWay` may be called before this returns. */
  hold(body: Buffer, giveWay: () => void): () => void {
    const shared = this.#shared.get(body) ?? this.#add(body);
    shared.holders.add(giveWay);
    if (shared.transfer.bytes === 0) this.#bytesInFlight.grow(shared.transfer, body.length);
    return () => {
      shared.holders.delete(giveWay);
      if (shared.holders.size === 0) this.#remove(body, shared.transfer);
    };
  }

  #add(body: Buffer): { transfer: Transfer; holders: Set<() => void> } {
    const holders = new Set<() => void>();
    const transfer = this.#bytesInFlight.add(() => {
      this.#remove(body, transfer);
      for (const giveWay of holders) giveWay();
    });
    const shared = { transfer, holders };
    this.#shared.set(body, shared);
    return shared;
  }

  #remove(body: Buffer, transfer: Transfer): void {
    this.#bytesInFlight.remove(transfer);
    if (this.#shared.get(body)?.transfer === transfer) this.#shared.delete(body);
  }
}

/**
 * Request bodies until their answers are sent: an eighth of the memory that compose gives a gateway, and eight of the
 * largest imports at once.
 */
export const bodiesInFlight = new BytesInFlight(160_000_000);

/** Answers of one request each: a quarter of that memory, and ten of the largest answers with evaluated flags. */
export const answersInFlight = new BytesInFlight(300_000_000);

/** The bodies of these answers, within the same bound: large ones, and the first events of streams. */
export const sharedInFlight = new SharedInFlight(answersInFlight);
