/** A statement that is asked for so often is worth being kept; what is put together for one occasion is not. */
const timesUntilPrepared = 5;
/** Texts that are counted; when there are more, counting begins anew. Services have about a hundred statements. */
const mostCounted = 2_000;
/** Statements that one connection keeps, some ten kilobytes each. */
const mostPrepared = 500;
/** A longer text has as many values as it happens to be given, and will not come again. */
const longestText = 10_000;

/** Names under which statements are prepared. */
export interface PreparedNames {
  /** The name of a statement that is asked for often; undefined for others, which are sent as they are. */
  nameOf(text: string): string | undefined;
  /** Forgets the names: a table has changed since, and Postgres refuses the old plans. */
  renew(): void;
}

/**
 * Sending and parsing a text again costs Postgres as much as many of our statements do, so that those that come again and again are prepared,
 * once on each connection. They are planned each time all the same (`plan_cache_mode`, pool.ts): the best way of a search depends on its
 * values, and a plan that was made while a table was small would stay until its statistics are renewed, a minute of growth later.
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
        text.length > longestText ||
        names.size >= mostPrepared ||
        !/^\s*(select|insert|update|delete|with)\b/i.test(text)
      ) {
        return undefined;
      }
      const count = (counts.get(text) ?? 0) + 1;
      if (count < timesUntilPrepared) {
        if (counts.size >= mostCounted) counts = new Map();
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
