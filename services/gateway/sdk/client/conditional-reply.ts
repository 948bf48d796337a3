import { type MaybePromise, whenThere } from '@yardarm/shared/waiting';
import { type Coding, codingOf } from '../../routing/content-coding.ts';
import type { BytesReply } from '../../routing/route.ts';
import type { EncodedBody } from '../snapshots/encoded-body.ts';
import { type Relation, relateEtags } from '../snapshots/positions.ts';
import type { ScopeView } from '../snapshots/views.ts';
import { vary } from './negotiation.ts';

export interface ConditionalRead {
  header(name: string): string | undefined;
  /** The body for a reader in relation to the view. It is chosen in the same turn as its view. */
  bodyOf(view: ScopeView, relation: Relation): EncodedBody;
  /** Whether the answer asks the reader to stream. The reader sees this only in a 200. */
  mayOfferStream: boolean;
  /** Records that an answer asks the SDK to stream. */
  offerStream(): void;
  /** Makes an answer with a body when its turn has come; without it, at once. */
  inTurn?(make: () => MadeReply): Promise<BytesReply>;
}

export interface MadeReply {
  body: EncodedBody;
  /** A promise while the body is compressed. */
  reply: MaybePromise<BytesReply>;
}

const json = { 'content-type': 'application/json; charset=utf-8' };

export const cacheHeaders = { ...json, 'cache-control': 'no-cache', vary };

/**
 * An answer for one reader, whatever others sent. It has no ETag: SDKs store the ETag, but not the body, before they
 * ask for a stream. One that is then refused the stream polls again, and with the ETag it would miss what the body
 * contained.
 */
const streamOffer = { ...json, vary, 'fetch-mode': 'streaming', 'cache-control': 'no-store' };

/**
 * The answer to a conditional GET, at once when memory has it:
 *   same            304
 *   older, unknown  200, when the body is compressed
 *   ahead           Waits for flags. When flags answers in time, its state is either ours or one that flags does not
 *                   know: then the reader gets everything. When flags does not, 304 lets it keep the newer state that
 *                   another gateway sent.
 */
export function reply(
  viewNow: () => ScopeView,
  catchUp: () => Promise<boolean>,
  read: ConditionalRead,
): MaybePromise<BytesReply> {
  const ifNoneMatch = read.header('if-none-match');
  const view = viewNow();
  const { identity, gzip, br } = view.etags;
  // The most common case: the client returns the ETag that it got.
  const isSame = ifNoneMatch !== undefined && (ifNoneMatch === gzip || ifNoneMatch === identity || ifNoneMatch === br);
  if (isSame && !read.mayOfferStream) return notModified(ifNoneMatch);
  const relation = relateEtags(ifNoneMatch, view);
  const replyNow = (relation: Relation, view: ScopeView) => {
    if (relation.kind === 'same' && !read.mayOfferStream) return notModified(`"${relation.position}"`);
    if (!read.inTurn) return withBody(relation, view, read).reply;
    return read.inTurn(() => {
      const viewThen = viewNow();
      return withBody(relateEtags(ifNoneMatch, viewThen), viewThen, read);
    });
  };
  if (relation.kind !== 'ahead') return replyNow(relation, view);
  return catchUp().then((isCurrent) => {
    const caughtUp = viewNow();
    const now = relateEtags(ifNoneMatch, caughtUp);
    return now.kind === 'ahead' && !isCurrent ? notModified(`"${now.position}"`) : replyNow(now, caughtUp);
  });
}

function withBody(relation: Relation, view: ScopeView, read: ConditionalRead): MadeReply {
  const body = read.bodyOf(view, relation);
  const coding = body.codingFor(codingOf(read.header('accept-encoding')));
  return { body, reply: whenThere(body.bytes(coding), (bytes) => modified(view, coding, bytes, read)) };
}

/** With the client's own ETag, which names its coding. */
function notModified(etag: string): BytesReply {
  return { status: 304, headers: { etag, vary } };
}

function modified(
  view: ScopeView,
  coding: Coding,
  body: Buffer,
  { mayOfferStream, offerStream }: ConditionalRead,
): BytesReply {
  if (mayOfferStream) offerStream();
  const headers = mayOfferStream ? streamOffer : { ...cacheHeaders, etag: view.etags[coding] };
  return { status: 200, body, headers: { ...headers, ...(coding !== 'identity' && { 'content-encoding': coding }) } };
}
