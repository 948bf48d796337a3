import { splitIntoPieces } from '@yardarm/shared/bus';
import type { ImportProblem } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';

/** Problems by their message, each with the items that have it. */
export class Problems {
  readonly #items = new Map<string, string[]>();

  add(message: string, item: string): void {
    const items = this.#items.get(message);
    if (items) items.push(item);
    else this.#items.set(message, [item]);
  }

  /** Adds what a check throws about an item. Returns its result, or null if it throws. */
  check<Result>(message: string, item: string, check: () => Result): Result | null {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.add(message, `${item}: ${error.message}`);
      return null;
    }
  }

  list(): ImportProblem[] {
    return [...this.#items].map(([message, items]) => ({ message, affectedItems: [...new Set(items)] }));
  }
}

/** A problem of so many items that no message holds them becomes several with the same text. */
export function inMessages(problems: readonly ImportProblem[]): ImportProblem[] {
  return problems.flatMap(({ message, affectedItems }) =>
    splitIntoPieces(affectedItems).map((items) => ({ message, affectedItems: items })),
  );
}
