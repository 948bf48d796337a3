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
