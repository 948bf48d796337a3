import type { Insertable, Selectable } from '@yardarm/shared/db';
import type { FlagsTables } from './schema.ts';

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;
type CamelCased<Row> = { [Name in keyof Row as CamelCase<Name> & string]: Row[Name] };

export type Row<Table extends keyof FlagsTables> = CamelCased<Selectable<FlagsTables[Table]>>;

/** A row to be inserted. Columns with a default are optional. */
export type NewRow<Table extends keyof FlagsTables> = CamelCased<Insertable<FlagsTables[Table]>>;

export function toRow<Columns extends object>(columns: Columns): CamelCased<Columns> {
  const row: Record<string, unknown> = {};
  for (const column in columns) row[toProperty(column)] = columns[column];
  return row as CamelCased<Columns>;
}

/** The properties by column. A long list has few columns and many rows. */
const properties = new Map<string, string>();

function toProperty(column: string): string {
  let property = properties.get(column);
  if (property === undefined) {
    property = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    properties.set(column, property);
  }
  return property;
}

/** The values of a row by column, such as `impression_data` for `impressionData`. */
export function toColumns(row: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([property, value]) => [toColumn(property), value]));
}

/** The columns by property. */
const columns = new Map<string, string>();

export function toColumn(property: string): string {
  let column = columns.get(property);
  if (column === undefined) {
    column = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columns.set(property, column);
  }
  return column;
}
