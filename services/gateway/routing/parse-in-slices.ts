import { AppError } from '@yardarm/shared/errors';
import type { TimeSlicer } from '@yardarm/shared/waiting';
import { notJson, parseJson } from './json-text.ts';

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** With a short property every ten characters, as many take a millisecond. */
const defaultPieceLength = 16_000;

/** What is deeper is parsed at once with what it is in. Reports of SDKs, the largest bodies, need three. */
const maxLevels = 100;

/** Of what is parsed at once because it is deeper. It takes some milliseconds, and no SDK sends anything so deep. */
const maxDeepLength = 100_000;

type Container = Record<string, unknown> | unknown[];

/** An object or a list whose end was not read yet. */
interface Open {
  readonly isObject: boolean;
  /** Where the members begin that are in no value yet. */
  pending: number;
  /** After the last comma between its members, else where its members begin. */
  member: number;
  /** Made when its members are first parsed. Until then it is a part of the pending members of its parent. */
  value: Container | null;
  /** Its last member is complete and has a value: only a comma or the end may follow. */
  isMemberTaken: boolean;
}

/**
 * The value of a JSON text as `JSON.parse` makes it, in slices of time: a text of 2 MB may take 0.1 s. It reads the
 * text once, and parses the members of an object or list in pieces of so many characters. Throws `validation` for what
 * is not JSON, and for a long part that is nested too deep to be divided.
 */
export async function parseInSlices(
  text: string,
  slicer: Pick<TimeSlicer, 'next'>,
  pieceLength = defaultPieceLength,
): Promise<unknown> {
  if (text.length <= pieceLength) return parseJson(text);
  const reading = new Reading(text, pieceLength);
  for (let at = 0; at < text.length; at += pieceLength) {
    reading.readTo(Math.min(text.length, at + pieceLength));
    await slicer.next();
  }
  return reading.end();
}

/** Reads a text from its beginning. What is not JSON is found when the piece that has it is parsed. */
class Reading {
  readonly #text: string;
  readonly #pieceLength: number;
  #at = 0;
  readonly #open: Open[] = [];
  /** All before it is parsed. */
  #parsedTo = 0;
  #root: Container | null = null;
  #end = 0;

  constructor(text: string, pieceLength: number) {
    this.#text = text;
    this.#pieceLength = pieceLength;
  }

  /** A text may be read beyond it to its end. */
  readTo(end: number): void {
    while (this.#at < end && this.#end === 0) {
      const at = this.#at;
      this.#at += 1;
      switch (this.#text.charCodeAt(at)) {
        case quote:
          this.#skipText();
          break;
        case openObject:
        case openList:
          this.#begin(at);
          break;
        case comma:
          this.#endMember(at);
          break;
        case closeObject:
        case closeList:
          this.#close(at);
          break;
        default:
      }
    }
  }

  end(): unknown {
    if (this.#root === null) return parseJson(this.#text);
    if (this.#end === 0) throw notJson();
    this.#requireNothing(this.#end, this.#text.length);
    return this.#root;
  }

  #skipText(): void {
    let at = this.#at;
    for (let code = this.#text.charCodeAt(at); at < this.#text.length && code !== quote; ) {
      at += code === backslash ? 2 : 1;
      code = this.#text.charCodeAt(at);
    }
    this.#at = at + 1;
  }

  #begin(at: number): void {
    const isObject = this.#text.charCodeAt(at) === openObject;
    this.#open.push({ isObject, pending: at + 1, member: at + 1, value: null, isMemberTaken: false });
  }

  #endMember(at: number): void {
    const open = this.#open.at(-1);
    // A comma outside of all is found when the whole is parsed.
    if (!open) return;
    if (open.isMemberTaken) this.#requireNothing(open.pending, at);
    this.#refuseDeep(at);
    const isPiece = at - this.#parsedTo >= this.#pieceLength && this.#open.length <= maxLevels;
    if (open.isMemberTaken || isPiece) this.#take(this.#open.length - 1, at);
    open.member = at + 1;
  }

  #close(at: number): void {
    const open = this.#open.at(-1);
    if (!open) return;
    this.#refuseDeep(at);
    if (open.value !== null) {
      if (open.isObject !== (this.#text.charCodeAt(at) === closeObject)) throw notJson();
      if (open.isMemberTaken) this.#requireNothing(open.pending, at);
      else this.#take(this.#open.length - 1, at);
      const parent = this.#open.at(-2);
      if (parent) [parent.pending, parent.isMemberTaken] = [at + 1, true];
    }
    this.#open.pop();
    if (this.#open.length === 0) this.#end = at + 1;
  }

  #refuseDeep(at: number): void {
    if (this.#open.length <= maxLevels || at - this.#parsedTo <= maxDeepLength) return;
    const problem = `more than ${maxDeepLength} characters in a value that is nested deeper than ${maxLevels} levels`;
    throw new AppError('validation', `The request has ${problem}.`);
  }

  /** Parses the pending members of an open one, which end at a comma or at its end. */
  #take(depth: number, end: number): void {
    this.#make(depth);
    const open = this.#open[depth]!;
    const { pending, isMemberTaken } = open;
    [open.pending, open.isMemberTaken] = [end + 1, false];
    this.#parsedTo = end + 1;
    if (isMemberTaken) return;
    const members = this.#text.slice(pending, end);
    if (isBlank(members)) throw notJson();
    add(open.value!, parsed(open.isObject ? `{${members}}` : `[${members}]`) as Container);
  }

  /** Makes the values of an open one and of those that it is in, with their members before it. */
  #make(depth: number): void {
    let first = depth;
    while (first >= 0 && this.#open[first]!.value === null) first -= 1;
    for (let at = first + 1; at <= depth; at += 1) {
      const open = this.#open[at]!;
      open.value = open.isObject ? {} : [];
      const parent = this.#open[at - 1];
      if (!parent) this.#requireNothing(0, open.pending - 1);
      if (!parent) this.#root = open.value;
      else this.#addTo(at - 1, parent, open);
    }
  }

  #addTo(depth: number, parent: Open, child: Open): void {
    if (parent.isMemberTaken) throw notJson();
    if (parent.member > parent.pending) this.#take(depth, parent.member - 1);
    const before = this.#text.slice(parent.member, child.pending - 1);
    if (parent.isObject) {
      const [name] = Object.keys(parsed(`{${before}null}`) as object);
      set(parent.value as Record<string, unknown>, name!, child.value);
    } else {
      if (!isBlank(before)) throw notJson();
      (parent.value as unknown[]).push(child.value);
    }
  }

  #requireNothing(from: number, to: number): void {
    if (!isBlank(this.#text.slice(from, to))) throw notJson();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

const isBlank = (text: string) => /^[ \t\n\r]*$/.test(text);

function add(to: Container, members: Container): void {
  if (Array.isArray(to)) for (const item of members as unknown[]) to.push(item);
  else for (const [name, value] of Object.entries(members)) set(to, name, value);
}

function set(to: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') to[name] = value;
  else Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true });
}
