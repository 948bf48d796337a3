/** A content coding of RFC 9110 that the gateway sends. */
export type Coding = 'identity' | 'gzip' | 'br';

/** Each SDK and each browser sends one value, and few of them exist. */
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
