/**
 * The tags in an If-None-Match header, without quotes and without `W/`, since a GET compares them weakly; `*` for any
 * tag (RFC 9110, 13.1.2). Malformed tags are left out.
 */
export function etagsOf(ifNoneMatch: string): string[] | '*' {
  if (ifNoneMatch.trim() === '*') return '*';
  return ifNoneMatch.split(',').flatMap((tag) => /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(tag)?.[1] ?? []);
}
