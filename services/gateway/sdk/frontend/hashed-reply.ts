import { etagsOf } from '../../routing/etags.ts';
import type { BytesReply } from '../../routing/route.ts';

/** A cache that people share must not keep what one of them gets. The address of a request does not have its token. */
const cacheHeaders = { 'cache-control': 'private, no-cache', vary: 'Authorization, Origin' };

/**
 * A JSON text that depends on the whole request. Its ETag is a hash of it. A weak one is a hash of what is the same for
 * all equivalent texts. 304 when If-None-Match has the ETag.
 */
export function hashedReply(
  { hash, isWeak = false, body }: { hash: string; isWeak?: boolean; body: () => Buffer },
  ifNoneMatch: string | undefined,
): BytesReply {
  const headers = { etag: `${isWeak ? 'W/' : ''}"${hash}"`, ...cacheHeaders };
  const tags = etagsOf(ifNoneMatch ?? '');
  if (tags === '*' || tags.includes(hash)) return { status: 304, headers };
  const json = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers: { ...headers, ...json }, body: body() };
}
