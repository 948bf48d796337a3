type Keys = (readonly unknown[])[];

/** Hands the keys of a burst on together, each once. The first call of a burst does not wait. */
export function createGatherer(windowMs: number, flush: (keys: Keys) => void): (keys: Keys) => void {
  let waiting: Map<string, readonly unknown[]> | null = null;
  const openWindow = () => {
    const gathered = new Map<string, readonly unknown[]>();
    waiting = gathered;
    setTimeout(() => {
      waiting = null;
      if (gathered.size === 0) return;
      openWindow();
      flush([...gathered.values()]);
    }, windowMs);
  };
  return (keys) => {
    if (keys.length === 0) return;
    if (waiting === null) {
      openWindow();
      flush(keys);
      return;
    }
    for (const key of keys) waiting.set(JSON.stringify(key), key);
  };
}
