import type { ApiToken } from '../../api/admin-queries.ts';

/** As many as tell tokens of one name apart, and too few to use one. */
const shownLetters = 4;

/** The part before the first dot is the scope of a token, unless that of our own has more dots. */
const beginning = new RegExp(`^(?:.*\\.yd_|[^:]*:[^.]*\\.)?.{0,${shownLetters}}`);

/** In place of a token that came from elsewhere, the API shows an id that is no part of it. */
const redactedId = /\.(x[\w-]{22,})$/;

/** What distinguishes a token from others of its name. The words continue the phrase "a token that". */
export function markOf({ secret, secure }: Pick<ApiToken, 'secret' | 'secure'>): string {
  const id = secure ? redactedId.exec(secret)?.[1] : undefined;
  if (id !== undefined) return `has the id ${id.slice(0, 1 + shownLetters)}…`;
  return `begins with ${beginning.exec(secret)![0]}…`;
}
