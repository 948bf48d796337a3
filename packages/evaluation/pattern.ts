import { RE2JS } from 're2js';
import { type Budget, spendAndCompute } from './budget.ts';
import type { ConstraintDefinition } from './definitions.ts';

/** In UTF-16 units. Browsers send user agents of some 200 and referrers of some 500. */
export const maxTextLength = 1_000;

/** A text of `maxTextLength` takes 6 to 23 ms with as many instructions. `@.{1,255}\.(com|org)$` has 523. */
export const maxInstructions = 1_000;

/** Some hundred states. With 8 MB, a random text of `maxTextLength` takes 24 ms for 1,000 instructions, not 5. */
const maxStateBytes = 64_000;

/** A twentieth of the memory that compose gives a gateway. Some 3,700 short patterns fit. */
const maxTotalBytes = 64_000_000;

/** Of a compiled pattern beside its states, measured by the heap with 200 long and with 10,000 short ones. */
const bytesPerPattern = 16_000;
const bytesPerInstruction = 80;
/** Each instruction has the ends of the ranges of its class, as numbers of 32 bits. `\pL` has 1,368. */
const bytesPerRangeEnd = 4;

/** Compiling an instruction takes 0.4 µs, which is about as long as this many steps of a match. */
const stepsPerInstruction = 50;

/** A class such as `\pL` has hundreds of ranges. To merge them with those of its class takes up to 0.2 ms. */
const stepsPerProperty = 20_000;
/** Without regard to case, compiling looks at each character of a range: 3 ms for `A-\x{1E942}`. */
const stepsPerCharacter = 2.5;
/** The last character that has another case. */
const lastFoldedCharacter = 0x1e943;

/** At most how many steps compiling takes beside those of its instructions. It may be without regard to case. */
export function compileSteps(text: string): number {
  const properties = text.match(/\\p/gi)?.length ?? 0;
  let characters = 0;
  for (const [, first, last] of text.matchAll(ranges))
    characters += Math.max(0, Math.min(codeOf(last!), lastFoldedCharacter) - codeOf(first!));
  return stepsPerProperty * properties + stepsPerCharacter * characters;
}

const ranges = /(\\x\{[\da-f]+\}|\\x[\da-f]{2}|.)-(\\x\{[\da-f]+\}|\\.|.)/gisu;

/** Of a character, or of its escape by hexadecimal digits. Other escapes are of characters with small codes. */
function codeOf(character: string): number {
  const [, digits] = /^\\x\{?([\da-f]+)/i.exec(character) ?? [];
  return digits === undefined ? character.codePointAt(0)! : Number.parseInt(digits, 16);
}

/** The memory of a compiled pattern, without the states that it remembers. */
export function programBytes(pattern: RE2JS): number {
  const instructions: readonly { runes: ArrayLike<number> }[] = pattern.re2().prog.inst;
  const rangeEnds = instructions.reduce((sum, { runes }) => sum + runes.length, 0);
  return bytesPerPattern + bytesPerInstruction * pattern.programSize() + bytesPerRangeEnd * rangeEnds;
}

/**
 * Null if the text is no pattern in RE2 syntax. RE2 takes time linear in the text for every pattern. The result
 * remembers states of `maxStateBytes` at most, and matches without them beyond it.
 */
export function compilePattern(text: string, caseInsensitive = false): RE2JS | null {
  try {
    const pattern = RE2JS.compile(text, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
    const { dfa } = pattern.re2();
    dfa.stateBudget = maxStateBytes;
    dfa.memBudget = maxStateBytes;
    return pattern;
  } catch {
    // The parser's message quotes the pattern, and no SDK shows it.
    return null;
  }
}

/** Compiling the largest pattern again takes some milliseconds. */
const unusedMs = 60_000;

/** The compiled patterns of the process. Those of constraints that are gone stay until they are dropped. */
const compiled = new Set<Pattern>();
let totalBytes = 0;
/** Runs while there are compiled patterns. */
let dropping: ReturnType<typeof setInterval> | undefined;

/**
 * A pattern of a constraint. Its time is linear in the length of the text, with a factor that grows with its program.
 * It remembers states that it has met, which makes it fast for later texts. Random texts of few letters multiply them.
 *
 *   waiting   Not compiled. Most constraints are in a snapshot whose flags no frontend asks for.
 *   compiled  It is waiting again when it was not used for `unusedMs`, twice as long at most. All compiled patterns of
 *             the process take `maxTotalBytes` at most: beyond it, all are waiting again.
 *   invalid   It matches nothing.
 */
export class Pattern {
  readonly #constraint: ConstraintDefinition;
  #pattern: RE2JS | null = null;
  #isInvalid = false;
  /** Since the patterns that were not used were dropped last. */
  #isUsed = false;
  #programBytes = 0;
  /** What it has in `totalBytes`. */
  #bytes = 0;

  /** The value of the constraint is its source. */
  constructor(constraint: ConstraintDefinition) {
    this.#constraint = constraint;
  }

  /** Whether the pattern matches a part of the text; false for a text that is longer than `maxTextLength`. */
  isIn(text: string, budget: Budget): boolean {
    if (this.#isInvalid || text.length > maxTextLength) return false;
    const pattern = this.#pattern ?? this.#compile(budget);
    if (pattern === null) return false;
    this.#isUsed = true;
    const steps = pattern.programSize() * (text.length + 1);
    return spendAndCompute(budget, steps, this.#constraint, () => {
      const isIn = pattern.test(text);
      this.#measure(pattern);
      return isIn;
    });
  }

  #compile(budget: Budget): RE2JS | null {
    const { value, caseInsensitive } = this.#constraint;
    const pattern = value === undefined ? null : compilePattern(value, caseInsensitive);
    this.#isInvalid = pattern === null;
    if (pattern === null) return null;
    this.#pattern = pattern;
    this.#programBytes = programBytes(pattern);
    compiled.add(this);
    dropping ??= startDropping();
    // Last, so that the next evaluation finds what an exhausted budget has compiled.
    const steps = pattern.programSize() * stepsPerInstruction + compileSteps(value ?? '');
    budget.spend(steps, this.#constraint);
    return pattern;
  }

  #measure(pattern: RE2JS): void {
    const { stateBudget, memBudget } = pattern.re2().dfa;
    const bytes = this.#programBytes + stateBudget - memBudget;
    totalBytes += bytes - this.#bytes;
    this.#bytes = bytes;
    if (totalBytes <= maxTotalBytes) return;
    for (const each of compiled) each.#drop();
  }

  /** Drops the compiled patterns that were not used since the last call. */
  static dropUnused(): void {
    for (const each of compiled) {
      if (!each.#isUsed) each.#drop();
      each.#isUsed = false;
    }
    if (compiled.size > 0) return;
    clearInterval(dropping);
    dropping = undefined;
  }

  #drop(): void {
    totalBytes -= this.#bytes;
    this.#bytes = 0;
    this.#pattern = null;
    compiled.delete(this);
  }
}

/** A process ends in spite of the timer. In a browser a timer is a number. */
function startDropping(): ReturnType<typeof setInterval> {
  const timer = setInterval(() => Pattern.dropUnused(), unusedMs);
  Object(timer).unref?.();
  return timer;
}
