import type { Flag } from './after.ts';
import type { Strategy } from './change.ts';

/** A flag, and the ETag of its version. Each change of a flag makes its version greater by one. */
export interface FlagVersion {
  data: Flag;
  etag: string | null;
}

/**
 * The strategy that a change has added in the environment, from what the flag was before it and after it; null if there
 * is none. Somebody else may have added what is new when another change came between.
 */
export function strategyAdded(before: FlagVersion, after: FlagVersion, environment: string): Strategy | null {
  if (numberOf(after) !== numberOf(before) + 1) return null;
  const known = new Set(strategiesIn(before.data, environment).map(({ id }) => id));
  return strategiesIn(after.data, environment).find(({ id }) => !known.has(id)) ?? null;
}

const numberOf = ({ etag }: FlagVersion) => Number(etag?.replaceAll('"', '') ?? Number.NaN);

const strategiesIn = ({ environments }: Flag, environment: string): Strategy[] =>
  environments.find(({ name }) => name === environment)?.strategies ?? [];
