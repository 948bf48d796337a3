/** What a filter compares and a parameter takes. A payload's objects and lists are no scalars. */
export type Scalar = string | number | boolean | null;

/**
 * The most parts of a path: each `.` and each `[` begins one. The payloads of known senders nest at most six deep. The
 * bound keeps a look-up short for every payload, because each part is tried as the end of a key.
 */
export const maxPathParts = 32;

/** The number of parts of a path: 3 for `alerts[0].status`. */
export function countPathParts(path: string): number {
  return 1 + (path.match(/[.[]/g)?.length ?? 0);
}

/**
 * The scalar at a path of a payload, such as `labels.severity` or `alerts[0].status`. Returns undefined if there is
 * none. A payload that is no object contains none.
 *
 * The path is the name that the scalar has when the payload is flattened: keys are joined by `.`, and an item of a list
 * adds its index in brackets. A key may itself contain `.` or `[`, so several scalars can have the same name. The later
 * one counts, in the order of the text. Keys that are whole numbers are first within their object, as in JavaScript.
 *
 * The payload is not flattened, because its size is the sender's choice: only keys that the path begins with are read.
 */
export function findScalar(payload: unknown, path: string): Scalar | undefined {
  return isObject(payload) && countPathParts(path) <= maxPathParts ? findInObject(payload, path) : undefined;
}

function findInObject(object: Record<string, unknown>, rest: string): Scalar | undefined {
  for (const key of candidates(object, rest).reverse()) {
    const found = findBelow(object[key], rest.slice(key.length));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The keys with which the path can go on, in the order of the object. What objects inherit is no key. */
function candidates(object: Record<string, unknown>, rest: string): string[] {
  const keys = new Set<string>();
  for (let end = 0; end <= rest.length; end++) {
    if (end < rest.length && rest[end] !== '.' && rest[end] !== '[') continue;
    const key = rest.slice(0, end);
    if (key !== '__proto__' && Object.hasOwn(object, key)) keys.add(key);
  }
  // The order costs a walk through all keys, so it is looked up only if it matters.
  return keys.size > 1 ? Object.keys(object).filter((key) => keys.has(key)) : [...keys];
}

/** `rest` begins with what follows the key or the index of the value. */
function findBelow(value: unknown, rest: string): Scalar | undefined {
  if (rest === '') return isScalar(value) ? value : undefined;
  if (Array.isArray(value)) {
    const index = /^\[(0|[1-9]\d*)\]/.exec(rest);
    return index ? findBelow(value[Number(index[1])], rest.slice(index[0].length)) : undefined;
  }
  return isObject(value) && rest.startsWith('.') ? findInObject(value, rest.slice(1)) : undefined;
}

/** What filters compare and parameters get; null for null and without a scalar. */
export function textOf(scalar: Scalar | undefined): string | null {
  return scalar === null || scalar === undefined ? null : String(scalar);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
