import { sql } from 'kysely';

const mark = '/* planned for its values */';

/**
 * At the end of a statement: it is not prepared, but planned each time for the values it is sent with. For searches, whose best way depends
 * on how many rows have the value.
 */
export const plannedForValues = sql.raw(mark);

export function isPlannedForValues(text: string): boolean {
  return text.endsWith(mark);
}

/** A statement that is asked for so often is worth being kept; what is put together for one occasion is not. */
const timesUntilPrepared = 5;
/** Texts that are counted; when there are more, counting begins anew. Services have about a hundred statements. */
const maxCounted = 2_000;
/** Statements that one connection keeps, some ten kilobytes each. */
const maxPrepared = 500;
/** A longer text has as many values as it happens to be given, and will not come again. */
const maxTextLength = 10_000;

/** Names under which statements are prepared. */
export interface PreparedNames {
  /** The name of a statement that is asked for often; undefined for others, which are sent as they are. */
  nameOf(text: string): string | undefined;
  /** Forgets the names: a table has changed since, and Postgres refuses the old plans. */
  renew(): void;
}

/**
 * Sending, parsing and planning a text again costs Postgres more than carrying out most of our statements does, since most find rows by their
 * keys. So those that come again and again are prepared, once on each connection, and their plans are used for a while, whatever the values
 * (pool.ts).
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
