import { failureOf, inSpan, type Tracer } from '../telemetry/index.ts';

/** The name of a prepared statement, at the beginning of its text (prepared.ts). */
const preparedName = /^\/\* prepared: (\S+) \*\/\s*/;

/** Integrity constraints (class 23): their violation is an answer to a request, such as "the name exists". */
const isViolation = (code: string) => code.startsWith('23');

/**
 * Runs a statement within a span, beneath the span of the operation that it belongs to. Statements of polls, leases
 * and other loops belong to none and have none. The span has the name of a prepared statement, or else the operation,
 * and never the text: a text may have values in it.
 */
export function traceStatement<R>(
  tracer: Tracer,
  { database, schema, text }: { database: string; schema: string; text: string },
  run: () => Promise<R>,
): Promise<R> {
  const parent = tracer.current()?.traceparent;
  if (parent === undefined) return run();
  const name = preparedName.exec(text)?.[1];
  const [operation = 'other'] = /\w+/.exec(text.replace(preparedName, '')) ?? [];
  const span = tracer.start(name ?? operation.toLowerCase(), {
    kind: 'client',
    parent,
    attributes: {
      ...{
        'db.system.name': 'postgresql',
        'db.namespace': `${database}|${schema}`,
        'db.operation.name': operation.toLowerCase(),
      },
      'db.query.summary': name,
    },
  });
  return inSpan(tracer, span, run, (error) => {
    const code = (error as { code?: unknown } | null)?.code;
    if (typeof code !== 'string') return failureOf(error);
    span.set({ 'db.response.status_code': code });
    return isViolation(code) ? null : code;
  });
}
