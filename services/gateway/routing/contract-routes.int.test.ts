// Declared routes over a real bus. The test serves the contracts.
import { randomBytes } from 'node:crypto';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import { request } from '@yardarm/shared/contracts';
import { createLogger } from '@yardarm/shared/log';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { contractRoutes } from './contract-routes.ts';
import type { Call, Route } from './route.ts';

const anchor = z.object({ shipId: z.number().int(), deck: z.string(), note: z.string().optional() });
const create = request({
  name: 'flags.anchor.create',
  writes: true,
  summary: 'Makes an anchor',
  input: anchor.meta({ examples: [{ shipId: 1, deck: 'upper', note: 'new' }] }),
  output: z.object({ id: z.number(), asked: z.unknown() }),
  errors: ['name-exists'],
  permission: 'CREATE_FEATURE',
});
const list = request({
  name: 'flags.anchor.list',
  writes: false,
  summary: 'Lists anchors',
  input: z.object({ shipId: z.number().int() }),
  output: z.object({ anchors: z.array(z.string()), total: z.number() }),
  permission: 'authenticated',
});
const names = request({
  ...{
    name: 'flags.anchor.names',
    writes: false,
    summary: 'Lists the names of anchors',
    input: z.object({ shipId: z.number().int() }),
  },
  output: z.object({ names: z.array(z.string()) }),
  permission: 'authenticated',
});
const remove = request({
  name: 'flags.anchor.delete',
  writes: true,
  summary: 'Deletes an anchor',
  input: z.object({ shipId: z.number().int() }),
  output: z.object({}),
  permission: 'public',
});

let bus: Bus;
let admin: ReturnType<typeof contractRoutes>;
const context: RequestContext = {
  requestId: 'test',
  actor: { kind: 'user', id: 1, username: 'ann', grants: [{ permissions: ['ADMIN'] }] },
  deadline: Date.now() + 60_000,
  traceparent: null,
};
const call = ({ handle }: Route, sent: Partial<Call<unknown, unknown, unknown>>) =>
  handle({ context, ...sent } as Call<unknown, unknown, unknown>);

beforeAll(async () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  const prefix = `t${randomBytes(6).toString('hex')}`;
  bus = await connectBus({ url: inject('natsUrl'), prefix, log, name: 'gateway' });
  admin = contractRoutes(bus, { audience: 'admin', tag: 'Ships', params: { id: { field: 'shipId', noun: 'ship' } } });
  bus.serve(create, async (asked) => ({ id: 7, asked }));
  bus.serve(list, async function* () {
    yield { anchors: ['one', 'two'], total: 3 };
    yield { anchors: ['three'], total: 3 };
  });
  bus.serve(names, async function* () {
    yield { names: ['one', 'two'] };
    yield { names: ['three'] };
  });
  bus.serve(remove, async () => {});
  await bus.flush();
});

afterAll(() => bus?.drain());

test('the path fills its field, the body fills the others, and the answer has a location', async () => {
  const route = admin.post('/ships/:id/anchors', 'createAnchor', create, { creates: 'anchor' });
  expect(route).toMatchObject({ summary: 'Makes an anchor', errors: ['name-exists'], permission: 'CREATE_FEATURE' });
  expect(route.body?.safeParse({ shipId: 1, deck: 'lower' }).data).toEqual({ deck: 'lower' });
  expect(route.body?.meta()?.examples).toEqual([{ deck: 'upper', note: 'new' }]);
  expect(await call(route, { params: { id: '12' }, body: { deck: 'lower', shipId: 13 } })).toEqual({
    status: 201,
    body: { id: 7, asked: { shipId: 12, deck: 'lower' } },
    headers: { location: '/ships/12/anchors/7' },
  });
});

test('a text that cannot be stored is named as the caller sent it, also if the body is one field', async () => {
  const route = admin.post('/ships/:id/anchors', 'createNote', create, { fixed: { deck: 'bow' }, bodyField: 'note' });
  const sent = { params: { id: '12' }, body: { lines: ['fine', 'not\u0000fine'] } };
  await expect(call(route, sent)).rejects.toMatchObject({
    code: 'validation',
    message: expect.stringContaining('The .lines[1] property should be well-formed Unicode'),
  });
});

test.each(['0', '012', '12.0', '1e2', ' 12', '+12', '2147483648', 'x'])('the id "%s" is not found', async (id) => {
  const route = admin.delete('/ships/:id', 'removeShip', remove);
  await expect(call(route, { params: { id } })).rejects.toMatchObject({
    code: 'not-found',
    message: `Could not find the ship with ID "${id}".`,
  });
});

test('a fixed value is not part of the body and overrides one that was sent', async () => {
  const route = admin.post('/ships/:id/bow', 'createBowAnchor', create, { fixed: { deck: 'bow' } });
  expect(Object.keys((route.body as z.ZodObject).shape)).toEqual(['note']);
  const { body } = await call(route, { params: { id: '12' }, body: { deck: 'lower' } });
  expect(body).toMatchObject({ asked: { shipId: 12, deck: 'bow' } });
});

test('one field can be the whole body', async () => {
  const route = admin.put('/ships/:id/deck', 'setDeck', create, { bodyField: 'deck' });
  expect((await call(route, { params: { id: '12' }, body: 'stern' })).body).toMatchObject({ asked: { deck: 'stern' } });
});

test('one field of the output can be the whole answer', async () => {
  const route = admin.post('/ships/:id/anchors', 'createAnchor', create, { answerField: 'id' });
  expect(route.answer.schema).toBe(create.output.shape.id);
  expect((await call(route, { params: { id: '12' }, body: { deck: 'lower' } })).body).toBe(7);
});

test('a field can come from a header, and a field of the output can be the ETag', async () => {
  const headers = {
    note: { header: 'x-note', description: 'A note', read: (text: string | undefined) => text?.toUpperCase() },
  };
  const answer = z.object({ asked: z.unknown() });
  const route = admin.post('/ships/:id/anchors', 'createAnchor', create, { headers, answer, etag: 'id' });
  expect(Object.keys((route.body as z.ZodObject).shape)).toEqual(['deck']);
  expect(route).toMatchObject({ headers: { 'x-note': 'A note' }, answer: { schema: answer } });
  const header = (name: string) => (name === 'x-note' ? 'from the header' : undefined);
  expect(await call(route, { params: { id: '12' }, body: { deck: 'lower', note: 'sent' }, header })).toEqual({
    status: 200,
    body: { asked: { shipId: 12, deck: 'lower', note: 'FROM THE HEADER' } },
    headers: { etag: '"7"' },
  });
});

test('an id that is not a number is 404', async () => {
  const route = admin.get('/ships/:id/anchors', 'getAnchors', list);
  await expect(call(route, { params: { id: 'x' } })).rejects.toMatchObject({
    code: 'not-found',
    message: 'Could not find the ship with ID "x".',
  });
});

test('pieces are joined, and the version comes first', async () => {
  const route = admin.get('/ships/:id/anchors', 'getAnchors', list, { version: 1 });
  const { body } = await call(route, { params: { id: '12' } });
  expect(JSON.stringify(body)).toBe('{"version":1,"anchors":["one","two","three"],"total":3}');
});

test.each([
  ['as the output', {}, '{"names":["one","two","three"]}'],
  ['with a version', { version: 1 }, '{"version":1,"names":["one","two","three"]}'],
  ['as its items alone', { answerField: 'names' as const }, '["one","two","three"]'],
])('an output that is one list is sent in pieces, %s', async (_title, options, body) => {
  const { list: sent, ...reply } = await call(admin.get('/ships/:id/names', 'getNames', names, options), {
    params: { id: '12' },
  });
  expect(reply).toEqual({ status: 200 });
  const pieces = (await Array.fromAsync(sent!.pieces)).map((piece) => Buffer.from(piece).toString());
  expect(`${sent!.head}${pieces.join(',')}${sent!.tail}`).toBe(body);
});

test('an output without fields is an answer without a body', async () => {
  const route = admin.delete('/ships/:id', 'deleteShip', remove);
  expect(route.answer.schema).toBeUndefined();
  expect(await call(route, { params: { id: '12' } })).toEqual({ status: 200, body: undefined, headers: {} });
});

test('a declaration that does not fit its contract is refused', () => {
  expect(() => admin.get('/ships/:name', 'a', remove)).toThrow(':name fills no field of flags.anchor.delete');
  expect(() => admin.get('/ships/:shipId', 'a', remove)).toThrow(
    ':shipId is a number in flags.anchor.delete and has no noun',
  );
  expect(() => admin.put('/ships/:id', 'a', create, { bodyField: 'note' })).toThrow('flags.anchor.create needs deck');
  const search = { ...remove, input: z.object({ page: z.number().optional(), text: z.string().min(1).optional() }) };
  expect(() => admin.get('/ships', 'a', search)).toThrow(
    'get /ships needs a declared query: page of flags.anchor.delete cannot be a text',
  );
  const wrongTypes = { deep: z.boolean().nullable().default(null), size: z.union([z.number(), z.boolean()]) };
  expect(() => admin.delete('/ships', 'a', { ...remove, input: z.object(wrongTypes) })).toThrow('deep, size');
  const texts = { id: z.uuid(), kind: z.enum(['tall', 'small']), name: z.string().nullish() };
  expect(() => admin.get('/ships', 'a', { ...remove, input: z.object(texts) })).not.toThrow();
  const pages = z.object({ page: z.coerce.number().optional() });
  expect(() => admin.get('/ships', 'a', search, { query: pages })).not.toThrow();
  const query = z.object({ length: z.string() });
  expect(() => admin.get('/ships/:id', 'a', remove, { query })).toThrow('flags.anchor.delete has no field length');
});
