/**
 * Whether `If-None-Match` says that the client has this content already (RFC 9110, 13.1.2): a list of tags, weak ones
 * included, or `*`. `etag` is quoted.
 */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // What a client sends that has one answer: as it got it.
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
