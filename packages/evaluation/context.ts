/**
 * What is known about the caller of an application. A field is at the top or in `properties`; the top has precedence.
 * Texts, numbers and booleans count as their text. Any other value counts as absent.
 */
export interface Context {
  readonly userId?: unknown;
  readonly sessionId?: unknown;
  readonly remoteAddress?: unknown;
  /** A Date, a text that Date.parse reads, or milliseconds since 1970. */
  readonly currentTime?: unknown;
  readonly properties?: unknown;
  readonly [field: string]: unknown;
}

export type ReadField = (context: Context) => string | undefined;

export function fieldReader(field: string): ReadField {
  // What every object inherits, such as `constructor`, is a function or an object and counts as absent.
  return (context) => textOf(context[field]) ?? textOf(propertiesOf(context)?.[field]);
}

/**
 * `userId`, `sessionId` and `remoteAddress` of a strategy or of the default stickiness are not in `properties`. As in
 * the Node SDK, 0 and false count as absent there.
 */
export function idOf(value: unknown): string | undefined {
  return value ? textOf(value) : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** In milliseconds since 1970; NaN if `currentTime` is no time. */
export function timeOf({ currentTime }: Context, now: number): number {
  if (!currentTime) return now;
  if (currentTime instanceof Date) return currentTime.getTime();
  if (typeof currentTime === 'string') return Date.parse(currentTime);
  return typeof currentTime === 'number' ? currentTime : Number.NaN;
}

function propertiesOf({ properties }: Context): Record<string, unknown> | undefined {
  return typeof properties === 'object' && properties !== null ? (properties as Record<string, unknown>) : undefined;
}
