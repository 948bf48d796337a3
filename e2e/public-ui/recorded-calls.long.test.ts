// Replays the requests of Unleash 8.2's admin UI. A browser recorded them while somebody used its pages for projects,
// flags, the archive, segments, context fields, tags, environments and banners. It changes more than the browser of
// public-ui.long.test.ts does, and takes a second.
import { readFileSync } from 'node:fs';
import { addPerson, type TestPerson, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface RecordedCall {
  method: string;
  /** Names in braces are those of saved ids. */
  path: string;
  body?: unknown;
  status: number;
  /** Where the answer has an id that later calls send, by the name of that id. */
  saves?: Record<string, string>;
}

const calls: RecordedCall[] = JSON.parse(readFileSync(new URL('recorded-calls.json', import.meta.url), 'utf8'));

/** The role Admin. */
const adminRole = 1;

let system: TestSystem;
let person: TestPerson;

beforeAll(async () => {
  system = await startSystem();
  person = await addPerson(system, adminRole);
});
afterAll(() => system?.stop());

test('every request of the UI is answered as recorded', { timeout: 60_000 }, async () => {
  const ids = new Map<string, string | number>();
  for (const call of calls) {
    const { path, body } = withIds({ path: call.path, body: call.body }, ids);
    const answer = await system.call(call.method, path, { token: null, headers: { cookie: person.cookie }, body });
    expect(answer.status, `${call.method} ${path}: ${answer.text}`).toBe(call.status);
    for (const [name, place] of Object.entries(call.saves ?? {})) ids.set(name, valueAt(answer.body, place));
  }
});

function withIds<Value>(value: Value, ids: ReadonlyMap<string, string | number>): Value {
  // A number is sent as one: the quotes go with the braces.
  const text = JSON.stringify(value).replace(/"\{(\w+)\}"|\{(\w+)\}/g, (braces, whole: string, part: string) => {
    const id = ids.get(whole ?? part);
    if (id === undefined) return braces;
    return whole ? JSON.stringify(id) : String(id);
  });
  return JSON.parse(text);
}

function valueAt(body: unknown, place: string): string | number {
  const value = place.split('.').reduce<unknown>((found, key) => (found as Record<string, unknown>)[key], body);
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`The answer has no id at ${place}`);
  return value;
}
