import type { BytesReply } from '../http/route.ts';
import type { EncodedBody } from '../snapshots/encoded-body.ts';
import { type Relation, relateEtags } from '../snapshots/positions.ts';
import type { View } from '../snapshots/views.ts';
import { codingOf, vary } from './negotiation.ts';

type Header = (name: string) => string | undefined;

/** The body for a reader, by the state that it has. It is chosen in the same turn as its view. */
export type BodyOf = (view: View, relation: Relation) => EncodedBody;

const json = { 'content-type': 'application/json; charset=utf-8' };

export const cacheHeaders = { ...json, 'cache-control': 'no-cache', vary };

/**
 * The answer to a conditional GET from memory:
 *   same            304
 *   ahead           null: this gateway has to catch up
 *   older, unknown  200, or null while the body is not compressed yet
 */
export function replyNow(view: View, header: Header, bodyOf: BodyOf): BytesReply | null {
  const ifNoneMatch = header('if-none-match');
  const { identity, gzip, br } = view.etags;
  // The most common case: the client returns the ETag that it got.
  if (ifNoneMatch !== undefined && (ifNoneMatch === gzip || ifNoneMatch === identity || ifNoneMatch === br))
    return notModified(ifNoneMatch);
  const relation = relateEtags(ifNoneMatch, view);
  if (relation.kind === 'same') return notModified(`"${relation.position}"`);
  if (relation.kind === 'ahead') return null;
  const body = bodyOf(view, relation);
  const coding = body.codingFor(codingOf(header('accept-encoding')));
  const bytes = body.ready(coding);
  return bytes && modified(view, coding, bytes);
}

/**
 * The same, waiting where `replyNow` has no answer. A reader that is ahead waits for flags. When flags answers in time,
 * its state is either ours or one that flags does not know: then it gets everything. When flags does not, 304 lets it
 * keep the newer state that another gateway sent.
 */
export async function reply(
  viewNow: () => View,
  catchUp: () => Promise<boolean>,
  header: Header,
  bodyOf: BodyOf,
): Promise<BytesReply> {
  const ifNoneMatch = header('if-none-match');
  const isCurrent = relateEtags(ifNoneMatch, viewNow()).kind !== 'ahead' || (await catchUp());
  const view = viewNow();
  const relation = relateEtags(ifNoneMatch, view);
  if (relation.kind === 'same' || (relation.kind === 'ahead' && !isCurrent))
    return notModified(`"${relation.position}"`);
  const body = bodyOf(view, relation);
  const coding = body.codingFor(codingOf(header('accept-encoding')));
  return modified(view, coding, await body.bytes(coding));
}

/** With the client's own ETag, which names its coding. */
function notModified(etag: string): BytesReply {
  return { status: 304, headers: { etag, vary } };
}

function modified(view: View, coding: keyof View['etags'], body: Buffer): BytesReply {
  const headers = { ...cacheHeaders, etag: view.etags[coding] };
  return { status: 200, body, headers: coding === 'identity' ? headers : { ...headers, 'content-encoding': coding } };
}
