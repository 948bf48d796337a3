import { createHash } from 'node:crypto';
import { etagsOf } from '../http/etags.ts';
import type { BytesReply } from '../http/route.ts';

/** An answer that depends on the whole request: its ETag is a hash of its bytes. 304 when If-None-Match has it. */
export function hashedReply(body: object, ifNoneMatch: string | undefined): BytesReply {
  const bytes = Buffer.from(JSON.stringify(body));
  const hash = createHash('sha256').update(bytes).digest('base64url');
  const headers = { etag: `"${hash}"`, 'cache-control': 'no-cache' };
  const tags = etagsOf(ifNoneMatch ?? '');
  if (tags === '*' || tags.includes(hash)) return { status: 304, headers };
  return { status: 200, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body: bytes };
}
