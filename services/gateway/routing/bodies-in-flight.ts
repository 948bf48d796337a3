/**
 * Of all bodies that are not complete, in this process. An eighth of the memory that compose gives a gateway, and eight
 * of the largest imports at once.
 */
const maxBytes = 160_000_000;

/** A smaller body is complete within one read of the socket as a rule, and its end is near. */
const minBytes = 16_000;

interface Body {
  bytes: number;
  /** Ends the request. */
  readonly giveWay: () => void;
}

/**
 * The bytes of bodies that are not complete. Clients that send slowly, or withhold the end, cannot take all memory:
 *
 *   added    It has no bytes yet.
 *   growing  Each part is counted. When all bodies exceed the bound, the oldest one that has more than `minBytes` gives
 *            way: a client in good faith sends it in seconds.
 *   removed  It is complete, refused, or the connection has ended.
 */
export class BodiesInFlight {
  readonly #maxBytes: number;
  /** The oldest comes first. */
  readonly #bodies = new Set<Body>();
  #bytes = 0;

  constructor(limitBytes = maxBytes) {
    this.#maxBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(giveWay: () => void): Body {
    const body = { bytes: 0, giveWay };
    this.#bodies.add(body);
    return body;
  }

  grow(body: Body, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes <= this.#maxBytes) return;
    for (const each of this.#bodies) {
      if (each.bytes < minBytes) continue;
      this.remove(each);
      each.giveWay();
      return;
    }
  }

  remove(body: Body): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
  }
}

/** Of this process. */
export const bodiesInFlight = new BodiesInFlight();
