import { AppError } from '@yardarm/shared/errors';

/** The value of a JSON text. Throws `validation`, without the parser's own message: it repeats what may be a secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = /at position \d+/.exec((error as Error).message)?.[0];
    throw new AppError('validation', `The request body is not well-formed JSON${at ? ` (${at})` : ''}.`);
  }
}
