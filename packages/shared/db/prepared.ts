/** A statement that is asked for so often is worth a plan that is kept; what is put together for one occasion is not. */
const timesUntilPrepared = 5;
/** Texts that are counted; when there are more, counting begins anew. Services have about a hundred statements. */
const mostCounted = 2_000;
/** Plans that one connection keeps, some ten kilobytes each. */
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
 * Parsing and planning cost Postgres more than most of our statements do, so that those that come again and again are prepared, once on each
 * connection. Postgres takes a plan for all values after a few executions, unless those for the values at hand are better; a search whose
 * best way depends on the values asks for one each time (`plansForValues` of a transaction).
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
