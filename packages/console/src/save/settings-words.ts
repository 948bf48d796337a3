import { isObject, isSame } from './same.ts';
import { becomes, list, shown } from './words.ts';

/**
 * Each setting that differs as a sentence, from old to new. What has no short text, such as a list of constraints, and
 * ids, which say nothing to a person, are only named.
 */
export function settingsChanged(before: unknown, now: unknown): string[] {
  if (!isObject(before) || !isObject(now)) return [sentenceOf('It', before, now)];
  return Object.keys(now)
    .filter((name) => !isSame(before[name], now[name]))
    .map((name) => {
      const subject = `The ${wordsOf(name)}`;
      return /(Role|Id)$/.test(name) ? `${subject} changed.` : sentenceOf(subject, before[name], now[name]);
    });
}

function sentenceOf(subject: string, before: unknown, now: unknown): string {
  const [old, fresh] = [textOf(before), textOf(now)];
  return old === null || fresh === null ? `${subject} changed.` : becomes(subject, old, fresh);
}

/** Null if it has none that is short. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'string')
    return shown(value);
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return null;
  return value.every((each) => typeof each === 'string') ? list(value.map((each) => shown(each))) || 'none' : null;
}

/** As in `default stickiness`. */
const wordsOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
