import type { z } from 'zod';
import type { ErrorDetail } from '../contracts/errors.ts';
import { AppError } from './app-error.ts';

/** Property names whose values are never repeated to the caller, nor logged. */
// An integration's url may be its whole secret (Slack's are), and its custom headers may authorize. The name of a token is no secret.
const secretNames =
  /pass(word|phrase)?|secret|token(?!Name$)|authorization|api-?key|licen[cs]e-?key|credential|^url$|^customHeaders$/i;

/** What follows the selector of a token of ours, wherever it was sent. */
const ownSecrets = /(yd_[0-9A-Za-z]{22}_)[0-9A-Za-z]+/g;

/** The text without the secrets of tokens of ours, which people paste into paths and into fields that are no secrets. */
export function withoutOwnSecrets(text: string): string {
  return text.replace(ownSecrets, '$1***');
}

/** The longest value that an error message repeats; the rest is cut, so that a large body is not sent back. */
const maxValueLength = 100;

/** The value as an error message may show it: `***` for a secret property, cut at 100 characters otherwise. */
export function redactValue(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined) return 'undefined';
  if (path.some((part) => typeof part === 'string' && secretNames.test(part))) return '***';
  const text = withoutOwnSecrets(JSON.stringify(value, maskSecrets) ?? String(value));
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

function maskSecrets(key: string, value: unknown): unknown {
  if (secretNames.test(key)) return '***';
  return typeof value === 'string' && /^\s*[{[]/.test(value) ? maskWithin(value) : value;
}

/** An object that was sent as text hides what it would hide as an object. */
function maskWithin(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), maskSecrets);
  } catch {
    return text;
  }
}

/**
 * Puts zod's issues into the public product's words: one detail per issue, each naming the property (`.events[0]`) and the
 * value sent. `input` is the value that was parsed.
 */
export function describeIssues(issues: readonly z.core.$ZodIssue[], input: unknown): ErrorDetail[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => describe([...issue.path, key], 'is not allowed', input));
    }
    return [describe(issue.path, complaint(issue, input), input)];
  });
}

function describe(path: readonly PropertyKey[], text: string, input: unknown): ErrorDetail {
  const property = propertyName(path);
  const subject = property === '' ? 'The request payload' : `The ${property} property`;
  return { path: property, message: `${subject} ${text}. You sent ${redactValue(valueAt(input, path), path)}.` };
}

/** A property as the public product writes it: `.events[0]`. */
export function propertyName(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
}

function complaint(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code === 'invalid_type') {
    if (valueAt(input, issue.path) === undefined) return 'is required';
    return `should be ${issue.expected}`;
  }
  if (issue.code === 'invalid_value')
    return `should be one of ${issue.values.map((value) => String(value)).join(', ')}`;
  // Messages of refinements are written in our schemas as "should …"; zod's own begin in upper case.
  const message = issue.message;
  return /^(should|must|is|has|does|can|may|cannot)\b/.test(message) ? message : `is not valid: ${message}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** `validation` of a payload that does not conform to its schema; names each property and the value sent. */
export function payloadError(issues: readonly z.core.$ZodIssue[], input: unknown): AppError {
  const details = describeIssues(issues, input);
  // Of one property the first fault says enough.
  const isOfOne = new Set(details.map(({ path }) => path)).size === 1;
  const rest = isOfOne ? details[0]?.message : 'See `details` for a list of errors that occurred.';
  return new AppError('validation', `The request payload you provided doesn't conform to the schema. ${rest}`, {
    details,
  });
}
