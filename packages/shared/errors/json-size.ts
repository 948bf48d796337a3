import { AppError } from './app-error.ts';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

export interface JsonBounds {
  /** Values are the commas and the opening brackets, and one: a list of n texts has n + 1, one of n objects 2n + 1. */
  values: number;
  /** Properties of all objects together. Each is several times as costly as another value. */
  properties: number;
  /** Of lists and objects within each other. */
  levels: number;
}

/**
 * Counts what the parser of a JSON text will make of it, in one to five milliseconds for a megabyte. Parsing, walking
 * and validating may take a hundred times as long. It reads UTF-8, and what is broken or no JSON in the same time: the
 * bytes that it looks for are no part of another character. Throws `validation` at the first bracket beyond the levels.
 */
export function jsonSizeOf(bytes: Uint8Array, maxLevels: number): Omit<JsonBounds, 'levels'> {
  let values = 1;
  let properties = 0;
  let level = 0;
  let isInText = false;
  const { length } = bytes;
  for (let at = 0; at < length; at += 1) {
    if (isInText) {
      while (at < length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
      isInText = false;
      continue;
    }
    const byte = bytes[at];
    if (byte === quote) isInText = true;
    else if (byte === comma) values += 1;
    else if (byte === colon) properties += 1;
    else if (byte === openList || byte === openObject) {
      values += 1;
      level += 1;
      if (level > maxLevels) throw tooDeep(maxLevels);
    } else if (byte === closeList || byte === closeObject) level -= 1;
  }
  return { values, properties };
}

function tooDeep(levels: number): AppError {
  return new AppError('validation', `The request is nested deeper than ${levels} levels.`);
}

/** Throws `validation` that names the bound which a JSON text exceeds, before it is parsed. */
export function requireJsonSize(bytes: Uint8Array, { values, properties, levels }: JsonBounds): void {
  const size = jsonSizeOf(bytes, levels);
  requireAtMost('values', size.values, values);
  requireAtMost('properties', size.properties, properties);
}

function requireAtMost(what: 'values' | 'properties', sent: number, maximum: number): void {
  if (sent <= maximum) return;
  throw new AppError('validation', `The request body should have at most ${maximum} ${what}. You sent ${sent}.`);
}

/** Whether a value has at most `maximum` values within. It looks at no more. */
export function hasAtMost(maximum: number, value: unknown): boolean {
  let rest = maximum;
  const count = (inner: unknown): boolean => {
    rest -= 1;
    if (rest < 0) return false;
    if (inner === null || typeof inner !== 'object') return true;
    if (Array.isArray(inner)) return inner.every(count);
    for (const name in inner) if (!count((inner as Record<string, unknown>)[name])) return false;
    return true;
  };
  return count(value);
}
