/** What a key asks for. */
export type Shortcut =
  | { kind: 'search' }
  | { kind: 'find' }
  | { kind: 'help' }
  | { kind: 'step'; by: 1 | -1 }
  | { kind: 'select' }
  | { kind: 'go'; to: '/' | '/features' | '/projects' | '/integrations' | '/signals' | '/events' | '/admin' };

/** The second key after `g`. */
const destinations: Partial<Record<string, (Shortcut & { kind: 'go' })['to']>> = {
  h: '/',
  f: '/features',
  p: '/projects',
  i: '/integrations',
  s: '/signals',
  e: '/events',
  a: '/admin',
};

const singles: Partial<Record<string, Shortcut>> = {
  '/': { kind: 'find' },
  '?': { kind: 'help' },
  j: { kind: 'step', by: 1 },
  k: { kind: 'step', by: -1 },
  x: { kind: 'select' },
};

export interface Key {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** The shortcut of a key; `before` is the key before it. */
export function shortcutOf(
  { key, ctrlKey, metaKey, altKey }: Key,
  before: string,
  areSinglesOn: boolean,
): Shortcut | null {
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' && !altKey ? { kind: 'search' } : null;
  if (altKey || !areSinglesOn) return null;
  if (before === 'g') {
    const to = destinations[key];
    return to === undefined ? null : { kind: 'go', to };
  }
  return singles[key] ?? null;
}
