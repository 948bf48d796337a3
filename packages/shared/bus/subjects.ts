import { AppError } from '../errors/index.ts';

/**
 * Encodes any text as one token of a subject. Letters, digits, `-` and `_` stay; every other UTF-16 unit becomes `=`
 * and four hexadecimal digits; the empty text becomes `=`. Every text that is not from a closed list must be encoded: a
 * dot would split the token, and `*` and `>` are wildcards.
 */
export function subjectToken(text: string): string {
  if (text === '') return '=';
  return text.replace(/[^A-Za-z0-9_-]/g, (unit) => `=${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Decodes a token of `subjectToken`. */
export function tokenText(token: string): string {
  if (token === '=') return '';
  return token.replace(/=([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The names of one installation on a server that several may share. */
export interface Names {
  /** Subjects and queue groups: `rpc.x` -> `<prefix>.rpc.x`. */
  subject(plain: string): string;
  /** Removes the prefix; returns a subject of another installation unchanged. */
  plainSubject(subject: string): string;
  /** Streams and durables, whose names may not contain a dot: `EVENTS` -> `<prefix>_EVENTS`. */
  name(plain: string): string;
}

/** Throws when subjects under the prefix could match those of another installation. */
export function namesUnder(prefix: string): Names {
  if (prefix === '') return { subject: (plain) => plain, plainSubject: (subject) => subject, name: (plain) => plain };
  if (!/^[a-zA-Z0-9-]+$/.test(prefix)) {
    throw new AppError('internal', `The prefix "${prefix}" of the bus may hold letters, digits and "-" only.`);
  }
  return {
    subject: (plain) => `${prefix}.${plain}`,
    plainSubject: (subject) => (subject.startsWith(`${prefix}.`) ? subject.slice(prefix.length + 1) : subject),
    name: (plain) => `${prefix}_${plain}`,
  };
}
