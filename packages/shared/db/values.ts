import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { encoderOfPg } from '../internals/index.ts';

const { builtins } = pg.types;
const int8Array = 1016;

/** int8 as a number. Throws above 2^53, where a number is not exact. Ids and counts stay far below it. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the bigint ${text} does not fit into a number`);
  return value;
}

/** Every int8[] in our tables is one-dimensional and contains only digits and NULL. */
function safeIntegers(text: string): (number | null)[] {
  const inner = text.slice(1, -1);
  return inner === '' ? [] : inner.split(',').map((item) => (item === 'NULL' ? null : safeInteger(item)));
}

/**
 * The JavaScript types of column values: int8 is a number (see safeInteger). date is 'YYYY-MM-DD', since it has no time
 * zone and a Date would have one. timestamptz is a Date with milliseconds, so exact comparisons belong in SQL. numeric
 * is a string. json and jsonb are parsed.
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

const encodeValue = encoderOfPg(pg);

/**
 * Encodes values as pg sends them. Call it before a statement is sent: pg encodes the values after it has sent the
 * first part of the statement, and an error at that point leaves the connection in the middle of the statement.
 */
export function encodeValues(values: readonly unknown[]): unknown[] {
  return values.map((value) => encodeValue(value));
}

/** A value for a json or jsonb column. Without this, pg sends a JavaScript array as a Postgres array. */
export function json<T>(value: T): RawBuilder<T> {
  return sql<T>`${JSON.stringify(value)}`;
}
