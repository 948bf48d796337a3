import Mustache from 'mustache';

// Mustache templates of users. Mustache parses them, and our own code renders the tokens: Mustache's renderer has no
// limits, and calls functions that a name like event.constructor reaches.

/** The message follows "The .parameters.bodyTemplate property" and "the body template". */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Longer than any message that people read. Parsing a template of this length takes some milliseconds. */
const maxTemplateLength = 10_000;

/** Mustache takes quadratic time for a tag of blanks. No indentation is as deep. */
const maxBlanks = 200;

/** Enough for a list of thousands. The worst template within it takes some 10 ms, as long as sending. */
const maxSteps = 50_000;

/** An event is a message of the bus, at most a megabyte. All of it and its template fit. */
export const maxCharacters = 2_000_000;

/** A text that becomes too long ends after the piece that exceeds. Escaping as many characters takes at most 4 ms. */
const pieceLength = 50_000;

/** Escaping a character for HTML adds three to five, and takes as long as a step. */
const growthOfStep = 4;

/** Escaping so many characters that stay as they are takes as long as a step at most. */
const charactersOfStep = 30;

type Part = string | { symbol: string; path: string[]; children: Part[] };

/** Names are looked up in the value of the innermost section, then in the enclosing ones. */
interface Scope {
  value: unknown;
  parent: Scope | null;
}

export function templateError(template: string): TemplateError | null {
  try {
    parseTemplate(template);
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}

/**
 * Fills the template with own properties of `view`, which is JSON data. `escapeText` applies to double braces. A
 * missing name is empty. Throws a TemplateError for an invalid template and for one that exceeds the limits.
 */
export function fillTemplate(template: string, view: object, escapeText: (text: string) => string): string {
  const rendering = new Rendering(escapeText);
  rendering.add(parseTemplate(template), { value: view, parent: null });
  return rendering.text();
}

function parseTemplate(template: string): Part[] {
  if (template.length > maxTemplateLength)
    throw new TemplateError(`should have at most ${maxTemplateLength} characters`);
  if (new RegExp(`\\s{${maxBlanks + 1}}`).test(template)) {
    throw new TemplateError(`should have at most ${maxBlanks} blanks in a row`);
  }
  try {
    // A new writer, because the shared one caches every template forever.
    return partsOf(new Mustache.Writer().parse(template));
  } catch {
    throw new TemplateError('should be a Mustache template; a tag or a section of it is not closed');
  }
}

function partsOf(tokens: Mustache.TemplateSpans): Part[] {
  return tokens.flatMap((token): Part[] => {
    const [symbol, text] = token;
    if (symbol === 'text') return [text];
    const path = text.indexOf('.') > 0 ? text.split('.') : [text];
    if (symbol === 'name' || symbol === '&') return [{ symbol, path, children: [] }];
    const isSection = symbol === '#' || symbol === '^';
    return isSection ? [{ symbol, path, children: partsOf(token[4] as Mustache.TemplateSpans) }] : [];
  });
}

/** The parts of a text, none of which ends within a character of two UTF-16 units. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + pieceLength;
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last <= 0xdbff) end += 1;
    yield text.slice(start, end);
  }
}

/** One rendering. Everything that a template can repeat counts as a step. */
class Rendering {
  readonly #escape: (text: string) => string;
  readonly #texts: string[] = [];
  #steps = 0;
  #characters = 0;

  constructor(escapeText: (text: string) => string) {
    this.#escape = escapeText;
  }

  text(): string {
    return this.#texts.join('');
  }

  add(parts: readonly Part[], scope: Scope): void {
    for (const part of parts) {
      this.#step();
      if (typeof part === 'string') this.#write(part);
      else this.#addTag(part, scope);
    }
  }

  #addTag({ symbol, path, children }: Exclude<Part, string>, scope: Scope): void {
    const value = this.#lookup(path, scope);
    const isEmpty = !value || (Array.isArray(value) && value.length === 0);
    if (symbol === '^') {
      if (isEmpty) this.add(children, scope);
    } else if (symbol === '#') {
      if (value === true) this.add(children, scope);
      else if (!isEmpty) this.#addSection(children, value, scope);
    } else {
      const text = this.#textOf(value);
      this.#assertWithinLimit(text);
      if (symbol === '&') this.#write(text);
      else {
        for (const piece of piecesOf(text)) {
          const escaped = this.#escape(piece);
          this.#step((escaped.length - piece.length) / growthOfStep + piece.length / charactersOfStep);
          this.#write(escaped);
        }
      }
    }
  }

  #addSection(children: readonly Part[], value: unknown, scope: Scope): void {
    for (const item of Array.isArray(value) ? value : [value]) {
      this.#step();
      this.add(children, { value: item, parent: scope });
    }
  }

  /** Undefined is a missing name, as in Mustache: the lookup then continues in the enclosing section. */
  #lookup(path: readonly string[], scope: Scope): unknown {
    if (path[0] === '.') return scope.value;
    for (let at: Scope | null = scope; at !== null; at = at.parent) {
      const value = this.#follow(path, at.value);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #follow(path: readonly string[], from: unknown): unknown {
    let value = from;
    for (const name of path) {
      this.#step();
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
      value = (value as Record<string, unknown>)[name];
    }
    return value;
  }

  /** Converts like JavaScript, but ignores toString, valueOf and toJSON of an object. */
  #textOf(value: unknown): string {
    this.#step();
    if (value === undefined || value === null) return '';
    if (Array.isArray(value)) return value.map((item) => this.#textOf(item)).join();
    return typeof value === 'object' ? '[object Object]' : String(value);
  }

  #step(count = 1): void {
    this.#steps += count;
    if (this.#steps > maxSteps) throw new TemplateError(`takes more than ${maxSteps} steps to fill in for this event`);
  }

  #write(text: string): void {
    this.#assertWithinLimit(text);
    this.#characters += text.length;
    this.#texts.push(text);
  }

  #assertWithinLimit({ length }: string): void {
    if (this.#characters + length > maxCharacters) {
      throw new TemplateError(`makes more than ${maxCharacters} characters of this event`);
    }
  }
}
