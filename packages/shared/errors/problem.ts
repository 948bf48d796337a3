import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Messages of our schemas begin with one of these words; those of the library begin in upper case. */
const ownMessage = /^(should|must|is|has|does|can|may|cannot)\b/;

/** The words for types whose names the library has made up. */
const types: Record<string, string> = { int: 'integer', record: 'object', tuple: 'array', never: 'absent' };

const formats: Record<string, string> = {
  ...{ uuid: 'a UUID', guid: 'a UUID', email: 'an e-mail address', url: 'a URL' },
  ...{ datetime: 'a date-time (RFC 3339)', date: 'a date such as 2026-01-31' },
};

/**
 * The rule that a value breaks, such as `should have at most 50 characters`: the message of the schema, else words for
 * the rule of the library. The library's own messages are not for callers.
 */
export function problemText(issue: Issue, value: unknown): string {
  if (issue.code === 'invalid_type') {
    return value === undefined ? 'is required' : `should be ${types[issue.expected] ?? issue.expected}`;
  }
  if (ownMessage.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_value':
      return `should be one of ${issue.values.map((each) => String(each)).join(', ')}`;
    case 'too_small':
      return boundText(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return boundText(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'not_multiple_of':
      return `should be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      if (issue.format === 'regex') return `should match ${issue.pattern}`;
      return `should be ${formats[issue.format] ?? `of the format ${issue.format}`}`;
    case 'invalid_key':
      return `has a name that ${problemText(issue.issues[0]!, '')}`;
    case 'invalid_union':
      return unionText(issue, value);
    default:
      return 'is not valid';
  }
}

const units: Record<string, string> = { string: 'character', array: 'item', set: 'item' };

function boundText({ origin, exact }: { origin: string; exact?: boolean }, bound: number | bigint, words: string) {
  const unit = units[origin];
  if (unit === undefined) return `should be ${words} ${bound}`;
  return `should have ${exact ? 'exactly' : words} ${bound} ${unit}${bound === 1 ? '' : 's'}`;
}

/** The rule of each option. An option that the value is not at all is named only without the others. */
function unionText(issue: Extract<Issue, { code: 'invalid_union' }>, value: unknown): string {
  if ('options' in issue) return `should be one of ${issue.options?.map((each) => String(each)).join(', ')}`;
  const firsts = issue.errors.flatMap(([first]) => (first ? [first] : []));
  const near = firsts.filter(({ code }) => code !== 'invalid_type');
  const texts = (near.length > 0 ? near : firsts).map((each) => problemText(each, value));
  const [first = 'is not valid', ...others] = new Set(texts);
  return [first, ...others.map((text) => text.replace(/^should /, ''))].join(' or ');
}

/** An issue of a union whose value is nearly one of the options, as the issues of that option. */
export function withoutUnions(issue: Issue): Issue[] {
  const near =
    issue.code === 'invalid_union'
      ? issue.errors.find((issues) => issues.every(({ path }) => path.length > 0))
      : undefined;
  if (!near) return [issue];
  return near.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(withoutUnions);
}
