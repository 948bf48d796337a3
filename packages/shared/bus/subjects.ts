import { AppError } from '../errors/index.ts';

/**
 * Encodes any text as one token of a subject, reversibly: letters, digits, `-` and `_` stay, every other UTF-16 unit becomes `=` and
 * four hexadecimal digits, the empty text `=`. Whatever does not come from a closed list enters a subject through here: a dot would
 * split the token, `*` and `>` would match others.
 */
export function subjectToken(text: string): string {
  if (text === '') return '=';
  return text.replace(/[^A-Za-z0-9_-]/g, (unit) => `=${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The text that `subjectToken` made the token of. */
export function tokenText(token: string): string {
  if (token === '=') return '';
  return token.replace(/=([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The names of one system on a server that it may share with others. */
export interface Names {
  /** `rpc.x` -> `<prefix>.rpc.x`: subjects and queue groups. */
  subject(plain: string): string;
  /** The other way; a subject of another system stays as it is. */
  plainSubject(subject: string): string;
  /** `EVENTS` -> `<prefix>_EVENTS`: streams and durables, whose names may hold no dot. */
  name(plain: string): string;
}

/** Makes the names under a prefix; throws when the prefix could reach into another system's subjects. */
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
