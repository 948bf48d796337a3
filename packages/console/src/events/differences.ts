import { isObject } from '../save/same.ts';

/** A value of an event that differs before and after. */
export interface Difference {
  /** As in `parameters.rollout`. */
  path: string;
  before: unknown;
  after: unknown;
}

type Json = Record<string, unknown> | null;

/** The properties that differ, also within objects. A list is one value. */
export function differences(before: Json, after: Json, prefix = ''): Difference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name) => {
    const path = `${prefix}${name}`;
    const [old, now] = [before?.[name], after?.[name]];
    if (isObject(old) && isObject(now)) return differences(old, now, `${path}.`);
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ path, before: old, after: now }];
  });
}
