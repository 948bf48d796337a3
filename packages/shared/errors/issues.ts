import type { z } from 'zod';
import type { ErrorCode, ErrorDetail } from '../contracts/errors.ts';
import { AppError } from './app-error.ts';
import { problemText, withoutUnions } from './problem.ts';

/**
 * Names of properties whose values are never shown to the caller or logged. The URL of an integration may be a secret,
 * as with Slack, and its custom headers may authorize. The name of a token is not a secret.
 */
const secretNames =
  /pass(word|phrase)?|secret|token(?!Name$)|^ticket$|authorization|api-?key|licen[cs]e-?key|credential|^url$|^customHeaders$/i;

/** A token that this system made, with its secret after the selector. */
const ownTokens = /(yd_[0-9A-Za-z]{22}_)[0-9A-Za-z]+/g;

/** Hides the secrets of our own tokens, which people paste into paths and into fields that are not secret. */
export function redactTokens(text: string): string {
  return text.replace(ownTokens, '$1***');
}

/** The maximum length of a value in an error message, so that a large body is not sent back. */
const maxValueLength = 100;

/** Formats a value for an error message: `***` for a secret property, otherwise at most 100 characters. */
export function redactValue(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined) return 'undefined';
  if (path.some((part) => typeof part === 'string' && secretNames.test(part))) return '***';
  const text = redactTokens(JSON.stringify(value, maskSecrets) ?? String(value));
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

function maskSecrets(key: string, value: unknown): unknown {
  if (secretNames.test(key)) return '***';
  return typeof value === 'string' && /^\s*[{[]/.test(value) ? maskWithin(value) : value;
}

/** Masks the secrets of an object that was sent as text. */
function maskWithin(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), maskSecrets);
  } catch {
    return text;
  }
}

/** As many as a person reads. A body of 500 kB may have 60,000 problems, whose description would have 11 MB. */
export const maxDetails = 100;

/**
 * Maps zod's issues to the public product's wording, at most 100 of them. Each detail names the property (`.events[0]`)
 * and its value.
 */
export function describeIssues(issues: readonly z.core.$ZodIssue[], input: unknown): ErrorDetail[] {
  return issues
    .slice(0, maxDetails)
    .flatMap(withoutUnions)
    .slice(0, maxDetails)
    .flatMap((issue) => {
      if (issue.code === 'unrecognized_keys') {
        return issue.keys.slice(0, maxDetails).map((key) => describe([...issue.path, key], 'is not allowed', input));
      }
      return [describe(issue.path, problemText(issue, valueAt(input, issue.path)), input)];
    })
    .slice(0, maxDetails);
}

function describe(path: readonly PropertyKey[], text: string, input: unknown): ErrorDetail {
  const property = propertyName(path);
  const subject = property === '' ? 'The request payload' : `The ${property} property`;
  return { path: property, message: `${subject} ${text}. You sent ${redactValue(valueAt(input, path), path)}.` };
}

/** Formats a property as the public product does: `.events[0]`. */
export function propertyName(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** The `validation` error of a payload that does not conform to its schema. It names each property and its value. */
export function payloadError(issues: readonly z.core.$ZodIssue[], input: unknown): AppError {
  return refusalOf('validation', "The request payload you provided doesn't conform to the schema.", issues, input);
}

/** The same for a query: in the public product its error has another name. */
export function queryError(issues: readonly z.core.$ZodIssue[], input: unknown): AppError {
  return refusalOf('bad-data', "The query you provided doesn't conform to the schema.", issues, input);
}

function refusalOf(code: ErrorCode, sentence: string, issues: readonly z.core.$ZodIssue[], input: unknown): AppError {
  const details = describeIssues(issues, input);
  // If all issues are of one property, the first one is enough.
  const isOneProperty = new Set(details.map(({ path }) => path)).size === 1;
  const rest = isOneProperty ? details[0]?.message : 'See `details` for a list of errors that occurred.';
  return new AppError(code, `${sentence} ${rest}`, { details });
}

/** The `bad-data` error of one property: what it should be, and its value. */
export function badProperty(path: readonly PropertyKey[], value: unknown, words: string): AppError {
  return new AppError('bad-data', `The ${propertyName(path)} property ${words}. You sent ${redactValue(value, path)}.`);
}
