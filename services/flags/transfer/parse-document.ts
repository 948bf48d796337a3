import { randomUUID } from 'node:crypto';
import { AppError } from '@yardarm/shared/errors';
import type { TimeSlicer } from '@yardarm/shared/waiting';
import { type FoundList, findLists } from './document-size.ts';

/**
 * What is not in long lists is parsed at once, some five milliseconds for as many characters. A document has a few
 * hundred.
 */
const maxLengthAround = 1_000_000;

/**
 * Parses the text of a document in slices of time: its long lists in portions, and what is around them with a mark in
 * place of the items. A list whose property occurs again is not parsed. Throws `validation` for what is not JSON, and
 * `bad-data` for a document that is too large.
 */
export async function parseDocument(text: string, slicer: TimeSlicer): Promise<unknown> {
  // A document cannot contain these marks.
  const mark = randomUUID();
  const lists = new Map<unknown, FoundList>();
  const around: string[] = [];
  let end = 0;
  for (const list of await findLists(text, slicer)) {
    const own = `${mark} ${lists.size}`;
    around.push(text.slice(end, list.start), JSON.stringify(own));
    lists.set(own, list);
    end = list.end;
  }
  around.push(text.slice(end));
  const document = parsed(requireShort(around.join('')));
  for (const holder of isObject(document) ? Object.values(document) : []) {
    if (!isObject(holder)) continue;
    for (const [name, value] of Object.entries(holder)) {
      const list = Array.isArray(value) ? lists.get(value[0]) : undefined;
      if (list) holder[name] = await itemsOf(text, list, slicer);
    }
  }
  return document;
}

async function itemsOf(text: string, { portions, end }: FoundList, slicer: TimeSlicer): Promise<unknown[]> {
  const items: unknown[] = [];
  for (const [index, start] of portions.entries()) {
    const next = portions[index + 1];
    const portion = text.slice(start, next === undefined ? end : next - 1);
    // Nothing before or behind a comma.
    if (portions.length > 1 && portion.trim() === '') throw notJson();
    for (const item of parsed(`[${portion}]`) as unknown[]) items.push(item);
    await slicer.next();
  }
  return items;
}

function requireShort(around: string): string {
  if (around.length <= maxLengthAround) return around;
  throw new AppError(
    'bad-data',
    `The document should have at most ${maxLengthAround} characters outside of the lists of .data. You sent ${around.length}.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

function notJson(): AppError {
  return new AppError('validation', 'The request body is not well-formed JSON.');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
