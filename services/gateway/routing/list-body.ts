/** A body whose items arrive in pieces: the text before them, pieces with commas inside, and the text after them. */
export interface ListBody {
  head: string;
  pieces: AsyncIterable<Uint8Array>;
  /** A function for what is known only with the pieces. */
  tail: string | (() => string);
}

/** The list in a field of an object, after a version if there is one, or by itself if it is the whole answer. */
export function listBody(
  field: string,
  pieces: AsyncIterable<Uint8Array>,
  { answerField, version }: { answerField?: string; version?: number },
): ListBody {
  if (answerField) return { head: '[', pieces, tail: ']' };
  const before = version === undefined ? '' : `"version":${version},`;
  return { head: `{${before}${JSON.stringify(field)}:[`, pieces, tail: ']}' };
}
