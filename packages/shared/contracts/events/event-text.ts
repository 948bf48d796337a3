import type { Event } from './event.ts';
import { eventSentences } from './event-sentences.ts';
import type { EventType } from './event-types.ts';

/**
 * A piece of what an event says: our own words, or a name that somebody chose. Whoever shows it escapes the names as the place asks for
 * that shows them (Markdown, Slack, a card); joined as they are they make no safe text anywhere.
 */
export type TextPart = { words: string } | { name: string; link: string | null };

/** What the text is made of; an event not yet recorded has a text too. */
export type DescribedEvent = Pick<
  Event,
  'type' | 'createdBy' | 'environment' | 'project' | 'featureName' | 'data' | 'preData'
>;

/** A short name of the event's type for people: "Flag created". */
export function eventLabel(type: EventType): string {
  return eventSentences[type].label;
}

/**
 * Who did what to what, where. `baseUrl` is the address under which people reach this system, without a slash at its end; without it
 * nothing is a link. What is deleted or archived has no page to link to.
 */
export function eventText(event: DescribedEvent, baseUrl: string | null = null): TextPart[] {
  const find = (slot: string) => nameIn(event, slot, baseUrl);
  const parts = pieces(eventSentences[event.type].sentence).flatMap(({ text, isOptional }) => {
    const filled = fill(text, find);
    if (!filled.includes(null)) return filled as TextPart[];
    return isOptional ? [] : filled.map((part) => part ?? { words: '?' });
  });
  return joined([shown(event.createdBy) ?? { words: 'somebody' }, { words: ' ' }, ...parts]);
}

/** The text as Markdown in one line: `**ada** created **[checkout](https://…)** in project **default**`. */
export function eventMarkdown(event: DescribedEvent, baseUrl: string | null = null): string {
  return markdown(eventText(event, baseUrl));
}

/** A text as Markdown, safe where HTML is read too. */
export function markdown(parts: readonly TextPart[]): string {
  return parts
    .map((part) => {
      if ('words' in part) return part.words;
      const name = escapedForMarkdown(part.name);
      return part.link === null ? `**${name}**` : `**[${name}](${part.link})**`;
    })
    .join('');
}

/** The text without any formatting. Only for places that show text as it is. */
export function plainText(parts: readonly TextPart[]): string {
  return parts.map((part) => ('words' in part ? part.words : part.name)).join('');
}

/** Where in the system people see what the event is about: its flag, else its project; null without either or without `baseUrl`. */
export function eventLink(event: DescribedEvent, baseUrl: string | null): string | null {
  const flag = nameIn(event, 'flag', baseUrl);
  const project = nameIn(event, 'project', baseUrl);
  const linked = [flag, project].find((part) => part !== null && 'link' in part && part.link !== null);
  return linked && 'link' in linked ? linked.link : null;
}

/**
 * Whatever Markdown (GitHub's too) reads as formatting in the middle of a line stands for itself. `<`, `>` and `&` are entities, because
 * places that take HTML inside Markdown know no escapes; addresses and mentions are broken, so that no name becomes a link or calls
 * somebody; three `%` would end the Markdown of Datadog.
 */
function escapedForMarkdown(name: string): string {
  return name
    .replace(/[\\`*_[\]~|#$]|(?<=\])\(|%(?=%)|(?<=%)%|:(?=\/\/)|(?<![^\s])@|(?<=www)\./gi, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

/** "removed[ from {x}]" in the order it stands: plain pieces, and those in brackets. */
function pieces(sentence: string): { text: string; isOptional: boolean }[] {
  return sentence
    .split(/(\[[^\]]*\])/)
    .filter((text) => text !== '')
    .map((text) =>
      text.startsWith('[') ? { text: text.slice(1, -1), isOptional: true } : { text, isOptional: false },
    );
}

function fill(text: string, find: (slot: string) => TextPart | null): (TextPart | null)[] {
  return text
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? find(part.slice(1, -1)) : { words: part }));
}

const hasNoPage: ReadonlySet<EventType> = new Set(['feature-archived', 'feature-deleted']);
const projectHasNoPage: ReadonlySet<EventType> = new Set(['project-archived', 'project-deleted']);

/** What a `{slot}` of a sentence stands for in this event, or null. */
function nameIn(event: DescribedEvent, slot: string, baseUrl: string | null): TextPart | null {
  const field = (...path: string[]) => shown(valueAt(event.data, path) ?? valueAt(event.preData, path));
  const first = (...fields: string[]) => fields.reduce<TextPart | null>((found, name) => found ?? field(name), null);
  // A flag that was moved has its page in the new project, whichever of the two its event names.
  const project = valueAt(event.data, ['newProject']) ?? event.project;
  switch (slot) {
    case 'flag': {
      const flag = event.featureName ?? valueAt(event.data, ['featureName']) ?? valueAt(event.data, ['feature']);
      const link = hasNoPage.has(event.type) ? null : address(baseUrl, 'projects', project, 'features', flag);
      return shown(flag, link);
    }
    case 'project': {
      const own = event.type.startsWith('project-')
        ? (valueAt(event.data, ['id']) ?? valueAt(event.preData, ['id']))
        : null;
      const id = event.project ?? own;
      return shown(id, projectHasNoPage.has(event.type) ? null : address(baseUrl, 'projects', id));
    }
    case 'newProject':
      return shown(project, address(baseUrl, 'projects', project));
    case 'environment':
      return shown(event.environment);
    case 'tag': {
      const [type, value] = ['type', 'value'].map((name) => plain(field(name) ?? field('tag', name)));
      return value === null ? null : shown(type === null ? value : `${type}:${value}`);
    }
    case 'strategy':
      return first('title', 'name');
    case 'changeRequest': {
      const id = field('id') ?? field('changeRequestId');
      return field('title') ?? (id === null ? null : shown(`#${plain(id)}`));
    }
    case 'user':
      return first('email', 'username', 'userId');
    case 'role':
      return first('roleName', 'roleId');
    case 'parent':
      return field('feature');
    case 'application':
      return field('appName');
    case 'count':
      return shown(countOf(valueAt(event.data, ['features'])));
    case 'subject':
      return first('name', 'appName', 'email', 'username', 'tokenName', 'title', 'message', 'description', 'id');
    default:
      return field(slot);
  }
}

/** A value that is text or a number, as a name; one line, without what is invisible or turns the writing round. */
function shown(value: unknown, link: string | null = null): TextPart | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const line = String(value)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? null : { name: shortened(line, maxNameLength), link };
}

/** Longer than any flag's name or ordinary e-mail address; a text of a few of them stays far below every receiver's limit. */
const maxNameLength = 200;

function shortened(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}

function plain(part: TextPart | null): string | null {
  return part === null ? null : plainText([part]);
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    data ?? undefined,
  );
}

function countOf(list: unknown): number | undefined {
  return Array.isArray(list) ? list.length : undefined;
}

/** An address under `baseUrl`, or null when a part of its path is not known. Parentheses would end a link in Markdown. */
function address(baseUrl: string | null, ...path: unknown[]): string | null {
  if (baseUrl === null || path.some((part) => typeof part !== 'string' || part === '')) return null;
  const encoded = path.map((part) => encodeURIComponent((part as string).toWellFormed()).replace(/[!'()*~]/g, percent));
  return [baseUrl, ...encoded].join('/');
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Words that follow words are one part. */
function joined(parts: TextPart[]): TextPart[] {
  const list: TextPart[] = [];
  for (const part of parts) {
    const last = list.at(-1);
    if (last && 'words' in last && 'words' in part) list.splice(-1, 1, { words: last.words + part.words });
    else list.push(part);
  }
  return list;
}
