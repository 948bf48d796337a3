import { createHash } from 'node:crypto';
import type { BytesReply } from '../http/route.ts';

/**
 * An answer that depends on the whole request: its ETag is a hash of its bytes. 304 when If-None-Match, a list of tags
 * that may be weak, has it (RFC 9110, 13.1.2).
 */
export function hashedReply(body: object, ifNoneMatch: string | undefined): BytesReply {
  const bytes = Buffer.from(JSON.stringify(body));
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  const headers = { etag, 'cache-control': 'no-cache' };
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (tags.includes(etag) || tags.includes('*')) return { status: 304, headers };
  return { status: 200, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body: bytes };
}
