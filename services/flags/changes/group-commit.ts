/**
 * What asks for the same kind of thing at the same time shares a round: one transaction, one commit on the disk. States:
 *
 * idle  Nothing is under way: what is asked begins a round at once, alone.
 * busy  A round is under way. What is asked waits, and the next round takes, in the order of asking, the first of each key.
 *
 * So nobody waits for company, and the busier it is the more share a round.
 */
export interface RoundsOptions<Item, Result> {
  /** Of one key only one is in a round: it may need what the one before has done. */
  keyOf(item: Item): string;
  /** Does all of them or none. Tells each what becomes of it once that is certain; throws when nothing was done or nobody knows. */
  run(items: readonly Item[]): Promise<(() => Result | Promise<Result>)[]>;
  /** Whether a failed round says nothing of the items by themselves, so that each is to be tried alone. */
  isOfOneItem(error: unknown): boolean;
}

/** More would make a statement that holds locks for longer than a few milliseconds, and save hardly anything more. */
const mostTogether = 64;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

/** Answers `ask`, many in one round. */
export class Rounds<Item, Result> {
  readonly #options: RoundsOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #isBusy = false;

  constructor(options: RoundsOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with what `run` tells of it; rejects with what its round has failed of. */
  ask(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isBusy) void this.#goOn();
    });
  }

  async #goOn(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) await this.#round(this.#takeTurns());
    this.#isBusy = false;
  }

  #takeTurns(): Waiting<Item, Result>[] {
    const keys = new Set<string>();
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const waiting of this.#waiting) {
      const key = this.#options.keyOf(waiting.item);
      const isNext = taken.length < mostTogether && !keys.has(key);
      keys.add(key);
      (isNext ? taken : left).push(waiting);
    }
    this.#waiting = left;
    return taken;
  }

  /** Never rejects. */
  async #round(waiting: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const outcomes = await this.#options.run(waiting.map(({ item }) => item));
      for (const [index, { resolve, reject }] of waiting.entries()) {
        try {
          resolve(outcomes[index]!());
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      const isTakenApart = waiting.length > 1 && this.#options.isOfOneItem(error);
      if (isTakenApart) for (const one of waiting) await this.#round([one]);
      else for (const { reject } of waiting) reject(error);
    }
  }
}
