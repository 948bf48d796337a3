import { hash } from 'node:crypto';
import type { MaybePromise } from '@yardarm/shared/waiting';
import { type Coding, codingOf } from '../routing/content-coding.ts';
import { etagsOf } from '../routing/etags.ts';
import type { BytesReply } from '../routing/route.ts';
import { EncodedBody } from '../sdk/snapshots/encoded-body.ts';

/** What selects the answer, by the lower-case name of a request header. */
type Header = (name: 'accept-encoding' | 'if-none-match') => string | undefined;

export type ServedDocument = (header: Header) => Promise<BytesReply>;

interface Made {
  body: EncodedBody;
  etags: Record<Coding, string>;
}

/**
 * A text that is the same for all callers until this process ends. It is made at the first request, since most
 * gateways never get one. From then on memory has its bytes and their compressed forms once, however many callers
 * there are. Each form has a strong ETag of its own.
 */
export function servedDocument(
  ownHeaders: Readonly<Record<string, string>>,
  make: () => MaybePromise<string>,
): ServedDocument {
  let made: Promise<Made> | undefined;
  return async (header) => {
    made ??= Promise.resolve(make()).then(toMade);
    const { body, etags } = await made;
    const coding = body.codingFor(codingOf(header('accept-encoding')));
    const headers = { ...ownHeaders, etag: etags[coding], 'cache-control': 'no-cache', vary: 'Accept-Encoding' };
    const tags = etagsOf(header('if-none-match') ?? '');
    if (tags === '*' || tags.some((tag) => `"${tag}"` === etags[coding])) return { status: 304, headers };
    return {
      status: 200,
      headers: { ...headers, ...(coding !== 'identity' && { 'content-encoding': coding }) },
      body: await body.bytes(coding),
      isSentInTurns: true,
    };
  };
}

function toMade(text: string): Made {
  const bytes = Buffer.from(text);
  const digest = hash('sha256', bytes, 'base64url');
  const etags = { identity: `"${digest}"`, gzip: `"${digest}-gzip"`, br: `"${digest}-br"` };
  return { body: new EncodedBody(bytes, 'many'), etags };
}
