import { useSyncExternalStore } from 'react';

const storageKey = 'yardarm-single-keys';
const listeners = new Set<() => void>();

/** Whether a single key does something. Who dictates to a screen reader may not want that. */
const areOn = () => localStorage.getItem(storageKey) !== 'off';

export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(storageKey, isOn ? 'on' : 'off');
  for (const listener of listeners) listener();
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, areOn);
}
