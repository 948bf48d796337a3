import { type Kysely, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { LegalValues } from './constraint.ts';

/**
 * The legal values of the context fields that the constraints name, where a field has such values. In a transaction the
 * fields stay until the commit, so that no constraint names a field that is deleted meanwhile.
 */
export async function findLegalValues(
  db: Kysely<FlagsTables>,
  constraints: readonly { contextName: string }[],
): Promise<LegalValues> {
  if (constraints.length === 0) return new Map();
  const names = [...new Set(constraints.map(({ contextName }) => contextName))];
  const { rows } = await sql<{ name: string; legalValues: { value: string }[] }>`
    select name, legal_values as "legalValues" from context_fields where name = any(${names}::text[])
    order by name
    for key share`.execute(db);
  return new Map(rows.map(({ name, legalValues }) => [name, legalValues.map(({ value }) => value)]));
}
