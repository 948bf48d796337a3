import { type RawBuilder, sql } from 'kysely';
import type { StreamPosition } from '../bus/index.ts';

/** The columns of a stored position, for a select list and for the assignments of an update. */
export const positionColumns = sql`incarnation, last_sequence as "lastSequence"`;

export function assignPosition({ incarnation, lastSequence }: StreamPosition): RawBuilder<unknown> {
  return sql`incarnation = ${incarnation}, last_sequence = ${lastSequence}`;
}
