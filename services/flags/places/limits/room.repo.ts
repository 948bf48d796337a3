import { lockAndMeasure, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { FlagsTables } from '../../db/schema.ts';

/**
 * What all definitions of a kind may have together. A list of them has all of it, a process reads several lists at
 * once, and consoles read them with each form. It has room for twenty of the largest segments and context fields, for
 * eighty of the largest types of strategies, and for tens of thousands of small ones, such as tags or default
 * strategies.
 */
const maxBytes = 10_000_000;

type KindName =
  | 'context fields'
  | 'segments'
  | 'strategy types'
  | 'tag types'
  | 'tags'
  | 'default strategies'
  | 'project descriptions';

interface Kind {
  /** For the message of the refusal. */
  noun: string;
  table: string;
  /** Those of a row that can grow. */
  bytes: RawBuilder<unknown>;
  /** Which rows are definitions of the kind, if not all are. */
  where?: RawBuilder<unknown>;
  /** What else a row has in a list; `bytesOfRest` if it is not named. */
  rest?: RawBuilder<unknown>;
}

/** The names of the properties in a list, times, numbers, and what else does not grow. */
const bytesOfRest = sql.lit(200);

const length = (column: string) => sql`coalesce(octet_length(${sql.ref(column)}::text), 0)`;
const lengths = (...columns: string[]) => sql.join(columns.map(length), sql` + `);

const kinds: Record<KindName, Kind> = {
  'context fields': {
    noun: 'context fields, with their legal values,',
    table: 'context_fields',
    bytes: lengths('name', 'description', 'legal_values'),
  },
  segments: {
    noun: 'segments, with their constraints,',
    table: 'segments',
    bytes: sql`${lengths('name', 'description')} + bytes`,
  },
  'strategy types': {
    noun: 'custom types of strategies, with their parameters,',
    table: 'strategy_types',
    bytes: lengths('name', 'title', 'description', 'parameters'),
  },
  'tag types': {
    noun: 'tag types',
    table: 'tag_types',
    bytes: lengths('name', 'description', 'icon', 'color'),
  },
  tags: { noun: 'tags', table: 'tags', bytes: lengths('type', 'value') },
  // The overview of a project has those of all its environments, and deletions of segments and context fields read all.
  'default strategies': {
    noun: 'default strategies of projects',
    table: 'project_environments',
    bytes: lengths('default_strategy'),
    where: sql`default_strategy is not null`,
  },
  // As in the text of the list: an escaped character has six bytes. 500 descriptions of 10,000 such characters are 30
  // MB, which occupy flags for 65 ms at once and the gateway for 115 ms. 10 MB are a third of that. The limits of
  // projects bound the rest.
  'project descriptions': {
    noun: 'descriptions of projects',
    table: 'projects',
    bytes: sql`octet_length(to_json(description)::text)`,
    where: sql`description is not null`,
    rest: sql.lit(0),
  },
};

/**
 * Throws `limit-exceeded` if the definitions of a kind have more bytes than they may. Call it after one was inserted or
 * has grown: those that are beyond the limit already may shrink. The lock comes after that of `requireWithinLimit`.
 */
export async function requireRoom(trx: Transaction<FlagsTables>, kind: KindName): Promise<void> {
  const { noun, table, bytes, where = sql`true`, rest = bytesOfRest } = kinds[kind];
  const measured = sql<number>`(
    select coalesce(sum(${rest} + ${bytes}), 0)::float8 from ${sql.table(table)} where ${where}
  )`;
  if ((await lockAndMeasure(trx, `yardarm flags: bytes of ${kind}`, measured)) <= maxBytes) return;
  throw new AppError(
    'limit-exceeded',
    `All ${noun} may have at most ${maxBytes} bytes together. Remove some before you add others.`,
  );
}

/** Whether a definition has become longer. */
export function hasGrown(before: object, after: object): boolean {
  return JSON.stringify(after).length > JSON.stringify(before).length;
}
