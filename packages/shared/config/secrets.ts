import type { z } from 'zod';
import { readSettingFile, type SettingFileError } from './setting-file.ts';

/** Several lines: the file of a login may have the next or the last login below the present one. */
type Lines = 'one-value' | 'several-logins';

/** Not the metadata of zod, because a schema that wraps a secret one would not have it. */
const secrets = new WeakMap<z.ZodType, Lines>();

/** Marks a setting as secret: `<NAME>_FILE` may name a file that has the value. */
export function secret<S extends z.ZodType>(schema: S): S {
  secrets.set(schema, 'one-value');
  return schema;
}

/**
 * Marks a setting as a secret login. Its file may have several lines, each a login: the present one first, then the one
 * before or after it. The process reads the file again for each new connection (`loginsOf`).
 */
export function secretLogin<S extends z.ZodType>(schema: S): S {
  secrets.set(schema, 'several-logins');
  return schema;
}

export function isSecret(schema: z.ZodType): boolean {
  return secrets.has(schema);
}

/** The setting with the path of the file that has the value of a secret one. */
export function fileSetting<Name extends string>(name: Name): `${Name}_FILE` {
  return `${name}_FILE`;
}

/** What a secret setting has: the texts to check, the first of which is the value, or the problem without the value. */
export type Given = { texts: (string | undefined)[]; file?: string } | { problem: string };

/** Reads the value of a setting from its variable or, if it is a secret one, from the file of `<NAME>_FILE`. */
export function readGiven(name: string, schema: z.ZodType, environment: Record<string, string | undefined>): Given {
  const text = environment[name] || undefined;
  const lines = secrets.get(schema);
  const file = lines && environment[fileSetting(name)];
  if (!lines) return { texts: [text] };
  if (!file) return oneLine(name, text);
  if (text !== undefined)
    return { problem: `${name}: is set, and ${fileSetting(name)} too (${file}): set one of them` };
  const label = `${fileSetting(name)}: the file ${file}`;
  try {
    if (lines === 'one-value') {
      const content = readSettingFile(file);
      return withoutLastBreak(content) === '' ? { problem: `${label} is empty` } : oneLine(label, content, file);
    }
    const texts = readLines(file);
    return texts.length > 0 ? { texts, file } : { problem: `${label} is empty` };
  } catch (error) {
    return { problem: `${label} ${(error as SettingFileError).message}` };
  }
}

const withoutLastBreak = (text: string) => text.replace(/\r?\n$/, '');

/**
 * The text without the line break at its end, which an editor or `echo` has added. Another one would make a header or a
 * URL invalid, and the reason that is given there names neither the setting nor the line break.
 */
function oneLine(label: string, text: string | undefined, file?: string): Given {
  const value = text && withoutLastBreak(text);
  if (value && /[\r\n]/.test(value)) return { problem: `${label}: has a line break, and the value is one line` };
  return { texts: [value || undefined], ...(file !== undefined && { file }) };
}

/** The logins that a new connection may use, the preferred one first. */
export type Logins = () => readonly string[];

/**
 * The logins of a setting that `secretLogin` marks. With a file they are read from it at each call, so that a password
 * changes while the process runs. A file that is away or has no usable line, because it is being replaced, leaves the
 * last ones.
 */
export function loginsOf(
  value: string,
  file: string | undefined,
  isUsable: (login: string) => boolean = () => true,
): Logins {
  let last: readonly string[] = [value];
  return () => {
    if (file === undefined) return last;
    try {
      const read = readLines(file).filter((line) => isUsable(line));
      if (read.length > 0) last = read;
    } catch {
      // The next call reads the file again.
    }
    return last;
  };
}

function readLines(file: string): string[] {
  return readSettingFile(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
