import { createHash } from 'node:crypto';
import { etagsOf } from '../../routing/etags.ts';
import type { BytesReply } from '../../routing/route.ts';

/** A cache that people share must not keep what one of them gets. The address of a request does not have its token. */
const cacheHeaders = { 'cache-control': 'private, no-cache', vary: 'Authorization, Origin' };

/**
 * A JSON text that depends on the whole request. Its ETag is a hash of it; of `essence`, if given, which is the same
 * for all equivalent texts, and the ETag is weak. 304 when If-None-Match has the ETag.
 */
export function hashedReply(text: string, ifNoneMatch: string | undefined, essence?: string): BytesReply {
  const hash = createHash('sha256')
    .update(essence ?? text)
    .digest('base64url');
  const headers = { etag: `${essence === undefined ? '' : 'W/'}"${hash}"`, ...cacheHeaders };
  const tags = etagsOf(ifNoneMatch ?? '');
  if (tags === '*' || tags.includes(hash)) return { status: 304, headers };
  const json = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers: { ...headers, ...json }, body: Buffer.from(text) };
}
