import { sql } from 'kysely';

const mark = '/* planned for its values */';

/**
 * At the end of a statement: Postgres plans it each time for its values, and it is not prepared. For searches, whose
 * best plan depends on how many rows have the value.
 */
export const plannedForValues = sql.raw(mark);

export function isPlannedForValues(text: string): boolean {
  return text.endsWith(mark);
}

/** A statement that is sent this often recurs. One that was composed for a single call does not. */
const timesUntilPrepared = 5;
/** Texts that are counted. When there are more, counting starts again. Services have about a hundred statements. */
const maxCounted = 2_000;
/** Prepared statements per connection, some ten kilobytes each. */
const maxPrepared = 500;
/** A longer text was composed for a particular number of values and does not recur. */
const maxTextLength = 10_000;

export interface PreparedNames {
  /** The name under which a recurring statement is prepared. Undefined for a statement that is sent without a name. */
  nameOf(text: string): string | undefined;
  /** Starts with new names, because a table has changed and Postgres refuses the old plans. */
  renew(): void;
}

/**
 * Most of our statements find rows by their keys, so that planning costs more than executing. Recurring statements are
 * prepared once on each connection, and their plans are used for a while, whatever the values (pool.ts).
 */
export function createPreparedNames(): PreparedNames {
  let counts = new Map<string, number>();
  let names = new Map<string, string>();
  let generation = 0;
  return {
    nameOf(text) {
      const known = names.get(text);
      if (known !== undefined) return known;
      if (
        text.length > maxTextLength ||
        names.size >= maxPrepared ||
        !/^\s*(select|insert|update|delete|with)\b/i.test(text)
      ) {
        return undefined;
      }
      const count = (counts.get(text) ?? 0) + 1;
      if (count < timesUntilPrepared) {
        if (counts.size >= maxCounted) counts = new Map();
        counts.set(text, count);
        return undefined;
      }
      counts.delete(text);
      const name = `s${generation}_${names.size}`;
      names.set(text, name);
      return name;
    },
    renew() {
      generation += 1;
      names = new Map();
    },
  };
}
