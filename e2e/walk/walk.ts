import type { TestSystem } from '@yardarm/testing';
import { expect } from 'vitest';
import type { Api, Params } from './api.ts';
import { fieldsBelow, type Json, valuesAt } from './fields.ts';

/** Where a value is found. */
export interface View {
  name: string;
  /** The fields of the body that the view has under the same name. */
  fields(ofBody: readonly string[]): readonly string[];
  /** What has these fields; undefined for nothing. */
  read(body: Json): Promise<Json>;
  /** Whether the view shows what is written; by default always. */
  shows?(body: Json): boolean;
}

/** A way to write fields, with every view of them. */
export interface Walk {
  name: string;
  /** The operations whose bodies have the fields. */
  operations: readonly string[];
  /** The fields, where no document has them; by default those of `operations`, else those of the first body. */
  fields?: readonly string[];
  /** What is written, one after the other. Each field has two values. */
  bodies: readonly Json[];
  write(body: Json, index: number): Promise<unknown>;
  views: readonly View[];
  /** The fields that no view has, with the reason. */
  hidden?: Record<string, string>;
  /** The fields of `operations` that say what is written and not its values, or are ignored. */
  selects?: readonly string[];
  /** The same write again is not allowed, or has an effect. */
  once?: boolean;
}

/** Why a view has another value than the body, by field. */
type Exceptions = Record<string, string>;

export interface WalkContext {
  system: TestSystem;
  api: Api;
  /** The token of a person with every permission. */
  person: string;
}

/** Sends every body and looks for its values in every view. A write that is repeated changes nothing. */
export async function takeWalk({ system, api }: WalkContext, walk: Walk): Promise<void> {
  const { operations, bodies, views, hidden = {}, selects = [] } = walk;
  const documented = operations.flatMap((operation) => api.operations.get(operation)?.body ?? []);
  const all = walk.fields ?? (documented.length > 0 ? documented : Object.keys(bodies[0]));
  const fields = [...new Set(all)].filter((field) => !selects.includes(field));
  const found = new Map<string, Set<string>>();
  for (const [index, body] of bodies.entries()) {
    await walk.write(body, index);
    await system.processAll();
    for (const view of views) {
      const value = await view.read(body);
      if (view.shows?.(body) === false) {
        expect([view.name, value]).toEqual([view.name, undefined]);
        continue;
      }
      for (const field of view.fields(fields)) {
        const sent = valuesAt(body, field);
        const at = `${field} in ${view.name}`;
        if (sent.length > 0) expect([at, valuesAt(value, field)]).toEqual([at, sent]);
        const values = found.get(at) ?? new Set();
        found.set(at, sent.length > 0 ? values.add(JSON.stringify(sent)) : values);
      }
    }
    if (index > 0 && !walk.once) await repeat(system, () => walk.write(body, index));
  }
  const once = [...found].filter(([, values]) => values.size < 2).map(([at]) => at);
  expect(once).toEqual([]);
  const visible = new Set(views.flatMap((view) => view.fields(fields)));
  expect(fields.filter((field) => !visible.has(field))).toEqual(Object.keys(hidden));
}

async function repeat(system: TestSystem, write: () => Promise<unknown>): Promise<void> {
  const state = async () => {
    await system.processAll();
    const { events } = (await system.call('GET', '/api/admin/search/events?limit=1')).body;
    const listings = Object.values(system.clientTokens).map((token) =>
      system.call('GET', '/api/client/features', { token }),
    );
    const etags = (await Promise.all(listings)).map(({ headers }) => headers.get('etag'));
    return { event: events[0], etags };
  };
  const before = await state();
  await write();
  expect(await state()).toEqual(before);
}

type Options = {
  params?: Params | (() => Params);
  query?: string;
  /** Of an operation that reads with a POST. */
  body?: Json;
  token?: string;
  /** SDKs that implement the client specification get segments beside the flags. */
  withSegments?: boolean;
  /** Where the documented answer has the fields, such as `environments[].strategies[]`. */
  at?: string;
  /** Takes from the answer what is at `at`. */
  pick?(answer: Json, body: Json): Json;
  shows?(body: Json): boolean;
  except?: Exceptions;
};

export function viewsOf({ system, api }: WalkContext) {
  /** The documented answer of an operation that reads. */
  const answer = (operation: string, options: Options = {}): View => {
    const { params = {}, query, body: asked, token, withSegments, at = '', shows, except = {} } = options;
    const { pick = (body: Json) => body } = options;
    const documented = fieldsBelow(api.operations.get(operation)?.answer ?? [], at);
    return {
      name: `${operation} ${at}${withSegments ? ' with segments' : ''}`.trim(),
      fields: (ofBody) => ofBody.filter((field) => documented.includes(field) && !(field in except)),
      async read(body) {
        const read = await api.call(operation, typeof params === 'function' ? params() : params, {
          ...(query && { query }),
          ...(asked && { body: asked }),
          ...(token && { token }),
          ...(withSegments && { headers: { 'unleash-client-spec': '5.2.0' } }),
        });
        return pick(read, body);
      },
      ...(shows && { shows }),
    };
  };
  /** The last event of a type. Its data has every field of the body. */
  const event = (
    types: string | readonly string[],
    { except = {}, pick = ({ data }: Json) => data }: Pick<Options, 'except' | 'pick'> = {},
  ): View => ({
    name: `event ${types}`,
    fields: (ofBody) => ofBody.filter((field) => !(field in except)),
    async read(body) {
      const ofTypes = [types].flat().map(async (type) => {
        const { events } = await api.call('deprecatedSearchEvents', {}, { body: { type, limit: 1 } });
        return events as { id: number }[];
      });
      const last = (await Promise.all(ofTypes)).flat().sort((one, other) => other.id - one.id)[0];
      return pick(last, body);
    },
  });
  /** A view that has these fields under other names. */
  const other = (name: string, fields: readonly string[], read: (body: Json) => Promise<Json>): View => ({
    ...{ name, fields: () => fields, read },
  });
  const client = (options: Options & { name: string; environment?: 'development' | 'production' }): View[] => {
    const { name, environment = 'production', pick = (feature: Json) => feature, at = '' } = options;
    const token = system.clientTokens[environment];
    const below = at === '' ? 'features[]' : `features[].${at}`;
    const ofFeature = ({ features }: Json) => features.find((feature: Json) => feature.name === name);
    return [
      answer('getAllClientFeatures', { ...options, token, at: below, pick: (all, body) => pick(ofFeature(all), body) }),
      // Without a position the delta is one event with everything.
      answer('getDelta', {
        ...{ ...options, token, at: `events[].${below}` },
        pick: ({ events }, body) => pick(ofFeature(events[0]), body),
      }),
      answer('getClientFeature', { ...options, token, at, params: { featureName: name }, pick }),
    ];
  };
  return { answer, event, other, client };
}
