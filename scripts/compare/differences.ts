// Compares two answers to one request. Values differ between two systems for good reasons (ids, times, secrets), so
// bodies are compared by their shape: which properties they have at which path, and of which type.

/** The parts of an answer that `compare` looks at. */
export interface Answer {
  status: number;
  /** By name, in lower case. */
  headers: Record<string, string>;
  /** Parsed if it is JSON, else its text. Undefined if it is empty. */
  body: unknown;
}

/** The bodies of errors are of a kind of their own, because both products have one shape for all of them. */
export type DifferenceKind = 'status' | 'headers' | 'body shape' | 'error shape';

export interface Difference {
  kind: DifferenceKind;
  /** The method and the path with the names of its parameters. */
  request: string;
  /** The property or header that differs; empty for a status. */
  at: string;
  yardarm: string;
  peer: string;
}

/** Those that a client may depend on. */
const comparedHeaders = ['content-type', 'location', 'etag', 'retry-after', 'www-authenticate'];

const absent = 'absent';

/** The differences of two answers. With another status, headers and body differ because of it and are not compared. */
export function differencesOf(request: string, yardarm: Answer, peer: Answer): Difference[] {
  if (yardarm.status !== peer.status) {
    return [{ kind: 'status', request, at: '', yardarm: String(yardarm.status), peer: String(peer.status) }];
  }
  const found: Difference[] = [];
  for (const name of comparedHeaders) {
    const ours = headerShape(yardarm.headers[name]);
    const theirs = headerShape(peer.headers[name]);
    if (ours !== theirs) found.push({ kind: 'headers', request, at: name, yardarm: ours, peer: theirs });
  }
  const kind = yardarm.status >= 400 ? 'error shape' : 'body shape';
  const ours = shapeOf(yardarm.body);
  const theirs = shapeOf(peer.body);
  for (const at of new Set([...ours.keys(), ...theirs.keys()])) {
    if (isSame(at, ours, theirs) || isCoveredByParent(at, ours, theirs)) continue;
    if (isUnknown(at, ours) || isUnknown(at, theirs)) continue;
    found.push({ kind, request, at, yardarm: textOf(ours, at), peer: textOf(theirs, at) });
  }
  return found;
}

/** The types at each path of a value. All items of a list have the path of the list with `[]`. */
export type Shape = Map<string, Set<string>>;

export function shapeOf(value: unknown, path = '', shape: Shape = new Map()): Shape {
  const types = shape.get(path) ?? new Set();
  shape.set(path, types.add(typeOf(value)));
  if (Array.isArray(value)) for (const item of value) shapeOf(item, `${path}[]`, shape);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) shapeOf(item, path === '' ? name : `${path}.${name}`, shape);
  }
  return shape;
}

/** A date is a type of its own: clients parse it. Ids are texts or numbers. */
function typeOf(value: unknown): string {
  if (value === undefined) return absent;
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)) return 'date';
  return typeof value;
}

function textOf(shape: Shape, at: string): string {
  return [...(shape.get(at) ?? [absent])].sort().join(' or ');
}

/** Whether a property has the same types in both. Null is every type: which property is null depends on the data. */
function isSame(at: string, ours: Shape, theirs: Shape): boolean {
  const [a, b] = [ours.get(at), theirs.get(at)].map((types) => new Set(types ?? [absent]));
  const isOnlyNull = (types: Set<string>) => types.delete('null') && types.size === 0;
  const [noneOfOurs, noneOfTheirs] = [isOnlyNull(a!), isOnlyNull(b!)];
  if (noneOfOurs || noneOfTheirs) return !(a!.has(absent) || b!.has(absent));
  return a!.size === b!.size && a!.isSubsetOf(b!);
}

/** Whether the object or list that has this property is itself the difference. */
function isCoveredByParent(at: string, ours: Shape, theirs: Shape): boolean {
  const parent = parentOf(at);
  return parent !== undefined && !isSame(parent, ours, theirs);
}

/** Whether a list above is empty or an object above is null, so that nothing is known of what it has otherwise. */
function isUnknown(at: string, shape: Shape): boolean {
  for (let child = at, parent = parentOf(at); parent !== undefined; child = parent, parent = parentOf(parent)) {
    const isEmptyList = child.endsWith('[]') && !shape.has(child);
    if (isEmptyList || textOf(shape, parent) === 'null') return true;
  }
  return false;
}

function parentOf(at: string): string | undefined {
  if (at === '') return undefined;
  return at.endsWith('[]') ? at.slice(0, -2) : at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '';
}

/** Of a header only the form counts: ids, hashes and times in it differ. */
function headerShape(value: string | undefined): string {
  if (value === undefined) return absent;
  return value
    .replace(/^(W\/)?"[^"]+"$/, '$1"..."')
    .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+/g, '<id>')
    .toLowerCase();
}
