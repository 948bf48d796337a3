import Mustache from 'mustache';

// Mustache templates of people. Mustache parses them; the walk over its tokens is ours, since its own has no bound, and calls the
// functions that a name like event.constructor brings.

/** A template that cannot be filled in, in words that follow "The .parameters.bodyTemplate property" and "the body template". */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
}

/** Longer than any message that people read; parsing costs a template of this length some milliseconds. */
const maxTemplateLength = 10_000;

/** Mustache looks for the end of a tag once from each blank before it: a tag of blanks costs their square. No indentation is as deep. */
const maxBlanks = 200;

/** A list of thousands is within it; the worst that can be done with it takes some 10 ms, as much as sending does. */
const maxSteps = 50_000;

/** An event is a message of the bus, a megabyte at the most: all of it and the template around it are within this. */
const maxCharacters = 2_000_000;

/** A text, or a tag with the path of its name. */
type Part = string | { symbol: string; path: string[]; within: Part[] };

/** What names are looked up in: the value of the innermost section, then of the ones around it. */
interface Scope {
  value: unknown;
  around: Scope | null;
}

/** What is wrong with a template, or null. */
export function templateFault(template: string): TemplateFault | null {
  try {
    parsed(template);
    return null;
  } catch (error) {
    if (error instanceof TemplateFault) return error;
    throw error;
  }
}

/**
 * The template filled in with what `view` has of its own, which is data as JSON has it; `escaped` is for double braces. What is not there
 * is empty. Throws a TemplateFault for a template that is wrong, or that takes or makes more than it may.
 */
export function filledIn(template: string, view: object, escaped: (text: string) => string): string {
  const filling = new Filling(escaped);
  filling.add(parsed(template), { value: view, around: null });
  return filling.text();
}

function parsed(template: string): Part[] {
  if (template.length > maxTemplateLength)
    throw new TemplateFault(`should have at most ${maxTemplateLength} characters`);
  if (new RegExp(`\\s{${maxBlanks + 1}}`).test(template)) {
    throw new TemplateFault(`should have at most ${maxBlanks} blanks in a row`);
  }
  try {
    // A writer of its own: the shared one keeps every template that it has ever seen.
    return partsOf(new Mustache.Writer().parse(template));
  } catch {
    throw new TemplateFault('should be a Mustache template; a tag or a section of it is not closed');
  }
}

/** Comments and changes of the delimiters have done their part, and there are no partials. */
function partsOf(tokens: Mustache.TemplateSpans): Part[] {
  return tokens.flatMap((token): Part[] => {
    const [symbol, text] = token;
    if (symbol === 'text') return [text];
    const path = text.indexOf('.') > 0 ? text.split('.') : [text];
    if (symbol === 'name' || symbol === '&') return [{ symbol, path, within: [] }];
    const isSection = symbol === '#' || symbol === '^';
    return isSection ? [{ symbol, path, within: partsOf(token[4] as Mustache.TemplateSpans) }] : [];
  });
}

/** One filling in. Whatever can be done again and again is a step. */
class Filling {
  readonly #escaped: (text: string) => string;
  readonly #made: string[] = [];
  #steps = 0;
  #characters = 0;

  constructor(escaped: (text: string) => string) {
    this.#escaped = escaped;
  }

  text(): string {
    return this.#made.join('');
  }

  add(parts: readonly Part[], scope: Scope): void {
    for (const part of parts) {
      this.#step();
      if (typeof part === 'string') this.#write(part);
      else this.#addTag(part, scope);
    }
  }

  #addTag({ symbol, path, within }: Exclude<Part, string>, scope: Scope): void {
    const value = this.#lookup(path, scope);
    const isEmpty = !value || (Array.isArray(value) && value.length === 0);
    if (symbol === '^') {
      if (isEmpty) this.add(within, scope);
    } else if (symbol === '#') {
      if (value === true) this.add(within, scope);
      else if (!isEmpty) this.#addSection(within, value, scope);
    } else {
      const text = this.#textOf(value);
      this.#assertRoomFor(text);
      this.#write(symbol === '&' ? text : this.#escaped(text));
    }
  }

  #addSection(within: readonly Part[], value: unknown, scope: Scope): void {
    for (const item of Array.isArray(value) ? value : [value]) {
      this.#step();
      this.add(within, { value: item, around: scope });
    }
  }

  /** Undefined is what is not there, as it is in Mustache: a path that ends nowhere goes on in the section around. */
  #lookup(path: readonly string[], scope: Scope): unknown {
    if (path[0] === '.') return scope.value;
    for (let at: Scope | null = scope; at !== null; at = at.around) {
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

  /** As JavaScript writes it, but for what an object or its prototype may say about that. */
  #textOf(value: unknown): string {
    this.#step();
    if (value === undefined || value === null) return '';
    if (Array.isArray(value)) return value.map((item) => this.#textOf(item)).join();
    return typeof value === 'object' ? '[object Object]' : String(value);
  }

  #step(): void {
    this.#steps += 1;
    if (this.#steps > maxSteps) throw new TemplateFault(`takes more than ${maxSteps} steps to fill in for this event`);
  }

  #write(text: string): void {
    this.#assertRoomFor(text);
    this.#characters += text.length;
    this.#made.push(text);
  }

  #assertRoomFor({ length }: string): void {
    if (this.#characters + length > maxCharacters) {
      throw new TemplateFault(`makes more than ${maxCharacters} characters of this event`);
    }
  }
}
