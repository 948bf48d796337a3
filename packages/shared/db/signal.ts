/** Tells listeners in this process that there is something to look at. It carries nothing and may be missed. */
export class Signal {
  readonly #listeners = new Set<() => void>();

  /** Returns the way to stop listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  emit(): void {
    for (const listener of this.#listeners) listener();
  }
}
