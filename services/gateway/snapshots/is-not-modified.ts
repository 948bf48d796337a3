/**
 * Whether the client has this content already, by its `If-None-Match` header: a list of tags, which may be weak, or `*`
 * (RFC 9110, 13.1.2). `etag` is quoted.
 */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // The most common case: the client returns the ETag that it got.
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
