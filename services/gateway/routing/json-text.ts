import { AppError } from '@yardarm/shared/errors';

/** For a body in parts: keeps a character whole whose bytes are in two. Ignores a byte order mark of some editors. */
export const textDecoder = () => new TextDecoder('utf-8', { fatal: true });

const whole = textDecoder();

/**
 * The text of a body, or of a part of it with a decoder of its own. Throws `validation` unless it is UTF-8: other bytes
 * would be stored as other letters.
 */
export function decodeText(bytes: Buffer | undefined, decoder = whole, options?: { stream: boolean }): string {
  try {
    return decoder.decode(bytes, options);
  } catch {
    throw new AppError('validation', 'The request body is not well-formed UTF-8.');
  }
}

/** The value of a JSON text. Throws `validation`, without the parser's own message: it repeats what may be a secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(/at position \d+/.exec((error as Error).message)?.[0]);
  }
}

/** `at` is where the text is wrong, as in `at position 10`. */
export function notJson(at?: string): AppError {
  return new AppError('validation', `The request body is not well-formed JSON${at ? ` (${at})` : ''}.`);
}
