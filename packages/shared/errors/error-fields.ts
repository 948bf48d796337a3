import type { ErrorDetail } from '../contracts/errors.ts';
import { redactTokens } from './issues.ts';

/** What every caller gets of an error, besides its id. */
export interface ErrorFields {
  name: string;
  message: string;
  details: readonly [ErrorDetail, ...ErrorDetail[]];
}

/** Clients of the public product read the first of `details`, so it has the message if there is nothing more to say. */
export function errorFields(name: string, message: string, details: readonly ErrorDetail[] = []): ErrorFields {
  const shown = redactTokens(message);
  const [first = { message }, ...others] = details;
  return { name, message: shown, details: [withoutTokens(first), ...others.map(withoutTokens)] };
}

function withoutTokens(detail: ErrorDetail): ErrorDetail {
  return { ...detail, message: redactTokens(detail.message) };
}
