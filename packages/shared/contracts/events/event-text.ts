import type { Event } from './event.ts';
import { type EventType, eventAliases, eventSentences, eventTypes, eventTypesOfPeople } from './event-sentences.ts';

export { eventAliases, eventTypes, eventTypesOfPeople };

/**
 * A part of an event's text: fixed words, or a name that a user chose. Each format (Markdown, Slack, a card) must
 * escape the names in its own way. Joined without escaping, the parts are not safe in any format.
 */
export type TextPart = { words: string } | { name: string; link: string | null };

/** The fields that the text is made of. An event that is not recorded yet has a text too. */
export type DescribedEvent = Pick<
  Event,
  'type' | 'createdBy' | 'environment' | 'project' | 'featureName' | 'data' | 'preData'
>;

/** The label of the event type, for example "Flag created". */
export function eventLabel(type: EventType): string {
  return eventSentences[type].label;
}

/**
 * Describes an event: who did what, to what and where. `baseUrl` is the public address of this installation without a
 * slash at its end; without it there are no links. Deleted and archived objects have no page to link to.
 */
export function eventText(event: DescribedEvent, baseUrl: string | null = null): TextPart[] {
  const find = (slot: string) => nameIn(event, slot, baseUrl);
  const parts = splitSentence(eventSentences[event.type].sentence).flatMap(({ text, isOptional }) => {
    const filled = fill(text, find);
    if (!filled.includes(null)) return filled as TextPart[];
    return isOptional ? [] : filled.map((part) => part ?? { words: '?' });
  });
  return mergeWords([toName(event.createdBy) ?? { words: 'somebody' }, { words: ' ' }, ...parts]);
}

/** The text as Markdown in one line: `**ada** created **[checkout](https://…)** in project **default**`. */
export function eventMarkdown(event: DescribedEvent, baseUrl: string | null = null): string {
  return markdown(eventText(event, baseUrl));
}

/** Formats a text as Markdown that is safe where HTML is allowed too. */
export function markdown(parts: readonly TextPart[]): string {
  return parts
    .map((part) => {
      if ('words' in part) return part.words;
      const name = escapeMarkdown(part.name);
      return part.link === null ? `**${name}**` : `**[${name}](${part.link})**`;
    })
    .join('');
}

/** The text without formatting. Only for places that show plain text. */
export function plainText(parts: readonly TextPart[]): string {
  return parts.map((part) => ('words' in part ? part.words : part.name)).join('');
}

/** The page of the event's flag, else of its project; null without either or without `baseUrl`. */
export function eventLink(event: DescribedEvent, baseUrl: string | null): string | null {
  const flag = nameIn(event, 'flag', baseUrl);
  const project = nameIn(event, 'project', baseUrl);
  const linked = [flag, project].find((part) => part !== null && 'link' in part && part.link !== null);
  return linked && 'link' in linked ? linked.link : null;
}

/**
 * Escapes everything that Markdown, including GitHub's, reads as formatting in the middle of a line. `<`, `>` and `&`
 * become entities, because HTML inside Markdown has no escapes. Addresses and mentions are broken up, so that no name
 * becomes a link or a notification. Three `%` would end the Markdown of Datadog.
 */
function escapeMarkdown(name: string): string {
  return name
    .replace(/[\\`*_[\]~|#$]|(?<=\])\(|%(?=%)|(?<=%)%|:(?=\/\/)|(?<![^\s])@|(?<=www)\./gi, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

/** Splits "removed[ from {x}]" into plain parts and optional parts, which are in brackets, in their order. */
function splitSentence(sentence: string): { text: string; isOptional: boolean }[] {
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

const typesWithoutFlagPage: ReadonlySet<EventType> = new Set(['feature-archived', 'feature-deleted']);
const typesWithoutProjectPage: ReadonlySet<EventType> = new Set(['project-archived', 'project-deleted']);

/** The value of a `{slot}` for this event, or null. */
function nameIn(event: DescribedEvent, slot: string, baseUrl: string | null): TextPart | null {
  const field = (...path: string[]) => toName(valueAt(event.data, path) ?? valueAt(event.preData, path));
  const first = (...fields: string[]) => fields.reduce<TextPart | null>((found, name) => found ?? field(name), null);
  // The page of a moved flag is in the new project, also when the event names the old one.
  const project = valueAt(event.data, ['newProject']) ?? event.project;
  switch (slot) {
    case 'flag': {
      const flag = event.featureName ?? valueAt(event.data, ['featureName']) ?? valueAt(event.data, ['feature']);
      const link = typesWithoutFlagPage.has(event.type) ? null : urlOf(baseUrl, 'projects', project, 'features', flag);
      return toName(flag, link);
    }
    case 'project': {
      const own = event.type.startsWith('project-')
        ? (valueAt(event.data, ['id']) ?? valueAt(event.preData, ['id']))
        : null;
      const id = event.project ?? own;
      return toName(id, typesWithoutProjectPage.has(event.type) ? null : urlOf(baseUrl, 'projects', id));
    }
    case 'newProject':
      return toName(project, urlOf(baseUrl, 'projects', project));
    case 'environment':
      return toName(event.environment);
    case 'tag': {
      const [type, value] = ['type', 'value'].map((name) => plain(field(name) ?? field('tag', name)));
      return value === null ? null : toName(type === null ? value : `${type}:${value}`);
    }
    case 'strategy':
      return first('title', 'name');
    case 'changeRequest': {
      const id = field('id') ?? field('changeRequestId');
      return field('title') ?? (id === null ? null : toName(`#${plain(id)}`));
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
      return toName(countOf(valueAt(event.data, ['features'])));
    case 'subject':
      return first('name', 'appName', 'email', 'username', 'tokenName', 'title', 'message', 'description', 'id');
    default:
      return field(slot);
  }
}

/** Converts text or a number to a name of one line, without invisible characters and changes of the text direction. */
function toName(value: unknown, link: string | null = null): TextPart | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const line = String(value)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? null : { name: shorten(line, maxNameLength), link };
}

/**
 * Longer than any flag's name or usual e-mail address. A text with a few names stays far below every receiver's limit.
 */
const maxNameLength = 200;

function shorten(text: string, maxLength: number): string {
  const characters = [...text];
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`;
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

/** A URL under `baseUrl`, or null when a part of its path is unknown. Parentheses would end a link in Markdown. */
function urlOf(baseUrl: string | null, ...path: unknown[]): string | null {
  if (baseUrl === null || path.some((part) => typeof part !== 'string' || part === '')) return null;
  const encoded = path.map((part) => encodeURIComponent((part as string).toWellFormed()).replace(/[!'()*~]/g, percent));
  return [baseUrl, ...encoded].join('/');
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function mergeWords(parts: TextPart[]): TextPart[] {
  const list: TextPart[] = [];
  for (const part of parts) {
    const last = list.at(-1);
    if (last && 'words' in last && 'words' in part) list.splice(-1, 1, { words: last.words + part.words });
    else list.push(part);
  }
  return list;
}
