import fc from 'fast-check';

/** The parts of an OpenAPI document that requests are made of. */
export interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>;
}

interface DocumentedOperation {
  operationId: string;
  parameters?: { name: string; in: 'path' | 'query' | 'header'; schema: { enum?: unknown[]; type?: string } }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

export interface Operation extends DocumentedOperation {
  method: string;
  path: string;
}

export interface RandomRequest {
  operation: Operation;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
}

const hostileTexts = [
  ...['', ' ', '.', '..', '*', '%', '%00', '\0', '\ud800', '💥'.repeat(50), 'null', '__proto__', 'constructor'],
  ...["'; drop table features; --", '<script>', '(a+)+$', '[', '\\', '/', '=1+1', 'x'.repeat(300), 'x'.repeat(20_000)],
  ...['0', '-1', '1.5', '1e400', '99999999999', '9007199254740993', 'NaN', 'true', '[]', '{}', 'IS:', 'IS_ANY_OF:,,'],
  ...['2026-13-45T99:99:99Z', '0000-01-01', '+275760-09-13T00:00:00.001Z', '00000000-0000-0000-0000-000000000000'],
];
const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 40 }));
const scalar = fc.oneof(
  text,
  fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, -1e308, 1e-320),
  fc.integer(),
);
const hostile = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 5 }),
  fc.array(fc.array(scalar, { maxLength: 2 }), { maxLength: 3 }),
  fc.dictionary(text, scalar, { maxKeys: 4 }),
  fc.constant(Array.from({ length: 2_000 }, (_, n) => n)),
);

/** By default small and large numbers are more frequent. */
const unbiased = (max: number) => fc.noBias(fc.nat({ max }));

/** A body that is no JSON, or another one than any operation expects. */
const broken = fc.constantFrom(
  '',
  '{',
  'nul',
  '"text"',
  '[]',
  '[[[]]]',
  '{"a":1}{',
  '['.repeat(5_000),
  '{"__proto__":{}}',
);

/**
 * A request of an operation: its documented example with up to three changes, for things that exist or not. `known` has
 * the texts and numbers that earlier answers had, of which identifiers are taken.
 */
export function anyRequest(
  g: fc.GeneratorValue,
  operations: readonly Operation[],
  known: readonly string[],
): RandomRequest {
  const below = (count: number) => g(unbiased, count - 1);
  const isOneIn = (count: number) => below(count) === 0;
  const operation = operations[below(operations.length)]!;
  const parameters = (place: string) => (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  const identifier = (): string => {
    if (isOneIn(9)) return String(g(() => text));
    if (isOneIn(4)) return String(below(31));
    return known[below(known.length)]!;
  };
  let path = operation.path;
  for (const { name } of parameters('path'))
    path = path.replace(`{${name}}`, encoded(usual(name, identifier(), isOneIn)));
  const query = parameters('query').flatMap(({ name, schema }) => {
    if (isOneIn(2)) return [];
    const value = schema.enum && !isOneIn(4) ? g(fc.constantFrom, ...schema.enum) : identifier();
    return [`${name}=${encoded(String(value))}`];
  });
  if (query.length > 0) path += `?${query.join('&')}`;
  const headers = Object.fromEntries(
    parameters('header').flatMap(({ name }) => (isOneIn(2) ? [] : [[name, printable(identifier())]])),
  );
  const [contentType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (contentType === undefined) return { operation, path, headers, body: undefined };
  headers['content-type'] = isOneIn(30)
    ? g(fc.constantFrom, 'text/plain', '', 'application/json; charset=x')
    : contentType;
  if (isOneIn(20)) return { operation, path, headers, body: g(() => broken) };
  const body = structuredClone(content?.example ?? {}) as Record<string, unknown>;
  // Otherwise each kind of thing would be made once, under the name of its example.
  for (const key of ['id', 'name', 'username'])
    if (typeof body[key] === 'string' && isOneIn(2)) body[key] += `-${below(1_000_000)}`;
  for (let changes = below(4); changes > 0; changes -= 1) change(g, body, identifier);
  return { operation, path, headers, body: JSON.stringify(body) };
}

/** The names that every system has, so that most requests are about something. */
const usualNames: Record<string, string[]> = {
  projectId: ['default', 'shop'],
  featureName: ['checkout', 'basket'],
  environment: ['development', 'production'],
};

function usual(name: string, identifier: string, isOneIn: (count: number) => boolean): string {
  const names = usualNames[name];
  return names === undefined || isOneIn(5) ? identifier : names[identifier.length % names.length]!;
}

/** Changes one place of a value: another value, none, or one more. What fast-check gives is shared by all requests. */
function change(g: fc.GeneratorValue, body: unknown, identifier: () => string): void {
  let place = body;
  for (let depth = g(unbiased, 4); ; depth -= 1) {
    if (typeof place !== 'object' || place === null) return;
    const keys = Object.keys(place);
    const key = keys.length === 0 ? 'unknown' : g(fc.constantFrom, ...keys);
    const next = (place as Record<string, unknown>)[key];
    if (depth > 0 && typeof next === 'object' && next !== null) {
      place = next;
      continue;
    }
    const kind = g(unbiased, 5);
    if (kind === 0) delete (place as Record<string, unknown>)[key];
    else if (kind === 1) (place as Record<string, unknown>)[key] = identifier();
    else if (kind === 2) (place as Record<string, unknown>)[`${key}x`] = structuredClone(g(() => hostile));
    else (place as Record<string, unknown>)[key] = structuredClone(g(() => hostile));
    return;
  }
}

const encoded = (value: string) => encodeURIComponent(value.toWellFormed()) || '%20';
/** What Node accepts in a header. */
const printable = (value: string) => value.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 2_000);
