type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Calls `read` with a view of the value, and returns the paths of the fields that it did not read. */
export function unreadFields(value: object, read: (view: object) => void): string[] {
  const fieldsRead = new Map<object, Set<PropertyKey>>();
  const view = (target: object): object =>
    new Proxy(target, {
      get(_, field) {
        fieldsRead.set(target, (fieldsRead.get(target) ?? new Set()).add(field));
        const found = (target as Record<PropertyKey, unknown>)[field];
        return isObject(found) ? view(found) : found;
      },
    });
  read(view(value));

  function unreadIn(object: object, path: string): string[] {
    return Object.entries(object as Fields).flatMap(([field, child]) => {
      const childPath = `${path}/${field}`;
      if (fieldsRead.get(object)?.has(field) !== true) return [childPath];
      return isObject(child) ? unreadIn(child, childPath) : [];
    });
  }
  return unreadIn(value, '');
}
