import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';

const { builtins } = pg.types;
const int8Array = 1016;

/** int8 as a number. Throws above 2^53, where a number would name another row: ids and counts never come near it. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the bigint ${text} does not fit into a number`);
  return value;
}

/** An int8[] is one-dimensional in our tables and holds digits and NULL alone. */
function safeIntegers(text: string): (number | null)[] {
  const inner = text.slice(1, -1);
  return inner === '' ? [] : inner.split(',').map((item) => (item === 'NULL' ? null : safeInteger(item)));
}

/**
 * How column values reach the code: int8 as number (see safeInteger), date as 'YYYY-MM-DD' (it has no time zone, a Date
 * would), timestamptz as Date (milliseconds; keep what must be compared exactly in SQL), numeric as string, json and jsonb
 * parsed.
 */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === builtins.INT8) return safeInteger;
      if (oid === int8Array) return safeIntegers;
      if (oid === builtins.DATE) return (text: string) => text;
    }
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

/** pg's own, which its types do not name. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/**
 * Values as pg sends them. To be called before a statement is sent: pg encodes a value after it has sent the first part of the statement,
 * and what it does when that throws leaves the connection in the middle.
 */
export function encodeValues(values: readonly unknown[]): unknown[] {
  return values.map((value) => prepareValue(value));
}

/** A value for a json or jsonb column. Without it pg sends a JavaScript array as a Postgres array. */
export function json<T>(value: T): RawBuilder<T> {
  return sql<T>`${JSON.stringify(value)}`;
}
