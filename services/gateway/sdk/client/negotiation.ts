import type { Coding } from '../snapshots/encoded-body.ts';
import type { SegmentFormat } from '../snapshots/scope.ts';

/** What selects the bytes of an answer with flags. */
export const vary = 'Authorization, Accept-Encoding, Unleash-Client-Spec';

/** SDKs that implement version 4.2.2 of the client specification, or a later one, read segments by id. */
export function segmentFormatOf(clientSpec: string | undefined): SegmentFormat {
  const parts = /^\s*(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(clientSpec ?? '') ?? [];
  const [major = 0, minor = 0, patch = 0] = parts.slice(1).map(Number);
  const isSeparate = major > 4 || (major === 4 && (minor > 2 || (minor === 2 && patch >= 2)));
  return isSeparate ? 'separate' : 'inlined';
}

/** Each SDK sends one value, and few SDKs exist. */
const maxKnown = 100;
const known = new Map<string | undefined, Coding>([[undefined, 'identity']]);

/** The coding that a client accepts and prefers (RFC 9110, 12.5.3); of two equal ones brotli, as it is smaller. */
export function codingOf(acceptEncoding: string | undefined): Coding {
  const stored = known.get(acceptEncoding);
  if (stored !== undefined) return stored;
  const weights = new Map(
    acceptEncoding!.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const [br, gzip] = [weightOf('br'), weightOf('gzip')];
  const accepted: Coding = br > 0 && br >= gzip ? 'br' : gzip > 0 ? 'gzip' : 'identity';
  const coding = (weights.get('identity') ?? 0) > Math.max(br, gzip) ? 'identity' : accepted;
  if (known.size < maxKnown) known.set(acceptEncoding, coding);
  return coding;
}
