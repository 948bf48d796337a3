import { type Budget, noBudget } from '@yardarm/evaluation';

/** What a filter compares and a parameter takes. A payload's objects and lists are no scalars. */
export type Scalar = string | number | boolean | null;

/**
 * The most parts of a path: each `.` and each `[` begins one. The payloads of known senders nest at most six deep. The
 * bound keeps a look-up short for every payload, because each part is tried as the end of a key.
 */
export const maxPathParts = 32;

/** The place of each key, of the objects of a payload in which a path can go on with several keys. */
const placesOfKeys = new WeakMap<object, Map<string, number>>();

/** Reading a part of a path and trying it as the end of a key takes some 100 ns; most parts have ten characters. */
const stepsPerCharacter = 1;

/** Reading the key of an object and storing its place takes some 200 ns. */
const stepsPerKey = 20;

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
 * A payload can have such a key for each part, in each object. A look-up then reads all of it, within the budget.
 */
export function findScalar(payload: unknown, path: string, budget = noBudget): Scalar | undefined {
  return isObject(payload) && countPathParts(path) <= maxPathParts ? findInObject(payload, path, budget) : undefined;
}

function findInObject(object: Record<string, unknown>, rest: string, budget: Budget): Scalar | undefined {
  for (const key of candidates(object, rest, budget).reverse()) {
    const found = findBelow(object[key], rest.slice(key.length), budget);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The keys with which the path can go on, in the order of the object. What objects inherit is no key. */
function candidates(object: Record<string, unknown>, rest: string, budget: Budget): string[] {
  const keys = new Set<string>();
  budget.spend(stepsPerCharacter * rest.length);
  for (let end = 0; end <= rest.length; end++) {
    if (end < rest.length && rest[end] !== '.' && rest[end] !== '[') continue;
    const key = rest.slice(0, end);
    if (key !== '__proto__' && Object.hasOwn(object, key)) keys.add(key);
  }
  if (keys.size <= 1) return [...keys];
  // The order costs a walk through all keys, so it is looked up only if it matters, and once per object.
  let places = placesOfKeys.get(object);
  if (!places) {
    places = new Map(Object.keys(object).map((key, place) => [key, place]));
    placesOfKeys.set(object, places);
    // Last, so that the next look-up finds what an exhausted budget has paid.
    budget.spend(stepsPerKey * places.size);
  }
  return [...keys].sort((one, other) => places.get(one)! - places.get(other)!);
}

/** `rest` begins with what follows the key or the index of the value. */
function findBelow(value: unknown, rest: string, budget: Budget): Scalar | undefined {
  if (rest === '') return isScalar(value) ? value : undefined;
  if (Array.isArray(value)) {
    const index = /^\[(0|[1-9]\d*)\]/.exec(rest);
    return index ? findBelow(value[Number(index[1])], rest.slice(index[0].length), budget) : undefined;
  }
  return isObject(value) && rest.startsWith('.') ? findInObject(value, rest.slice(1), budget) : undefined;
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
