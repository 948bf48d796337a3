import type { ImportProblem } from '@yardarm/shared/contracts/flags';

/** Problems by their message, each with the items that have it. */
export class Problems {
  readonly #items = new Map<string, string[]>();

  add(message: string, item: string): void {
    const items = this.#items.get(message);
    if (items) items.push(item);
    else this.#items.set(message, [item]);
  }

  list(): ImportProblem[] {
    return [...this.#items].map(([message, items]) => ({ message, affectedItems: [...new Set(items)] }));
  }
}
