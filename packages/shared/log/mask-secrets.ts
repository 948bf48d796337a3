import { pino } from 'pino';

const mask = '***';

/** The properties of a line whose values nobody may read. */
export const secretNames: ReadonlySet<string> = new Set([
  'authorization',
  'password',
  'secret',
  'token',
  'accessToken',
  'apiKey',
  'licenseKey',
  'cookie',
  'url',
  'connectionString',
]);

/** An error of Postgres has the refused row in these. */
const rowDetails: ReadonlySet<string> = new Set(['detail', 'where']);
const secretNamesOfErrors: ReadonlySet<string> = new Set([...secretNames, ...rowDetails]);

/** An error that was made of several has their details on the fourth level. The limit ends cycles. */
const maxLevels = 5;

/**
 * The fields of a line with `***` in place of secrets, as a second protection: code never logs bodies. Errors become
 * objects with their message and stack. Returns the fields themselves when they need no change.
 *
 * pino's `redact` does the same with paths. It was 45 % of what a gateway allocates under changes, since each of twenty
 * paths with a wildcard makes objects for each field of each line (docs/benchmarks.md).
 */
export function maskSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return masked(fields, secretNames, maxLevels) as Record<string, unknown>;
}

function masked(value: unknown, names: ReadonlySet<string>, levels: number): unknown {
  if (levels === 0 || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (value instanceof Error) return masked({ ...pino.stdSerializers.err(value) }, secretNamesOfErrors, levels);
  let copy: Record<string, unknown> | undefined;
  for (const [name, held] of Object.entries(value)) {
    const shown = names.has(name) ? mask : masked(held, names, levels - 1);
    if (shown === held) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[name] = shown;
  }
  return copy ?? value;
}

/** What pino does with these fields of a line and with the fields that a child logger adds to its lines. */
export const maskingSerializers: Record<string, (value: unknown) => unknown> = {
  ...Object.fromEntries([...secretNames].map((name) => [name, () => mask])),
  // `maskSecrets` has made an object of an error.
  err: (shown) => shown,
};
