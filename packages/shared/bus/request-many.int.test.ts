// Proves: an answer of any size arrives complete and in order, or as an error; a caller that leaves stops the server.
import { createInbox, headers } from '@nats-io/transport-node';
import { startTestNats, type TestNats } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { request } from '../contracts/contract.ts';
import { AppError } from '../errors/index.ts';
import type { Bus } from './bus.ts';
import { connectBus } from './connect-bus.ts';
import { headerNames } from './headers.ts';
import { encodePieces } from './items.ts';
import { pieceWindow } from './request-many.ts';
import { contextWith, dial, keepingLogger, thrownBy } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

let nats: TestNats;
const open: Bus[] = [];
const { log, lines } = keepingLogger();

beforeAll(async () => {
  nats = await startTestNats();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((bus) => bus.drain()));
  lines.length = 0;
});
afterAll(() => nats.remove());

async function busWith(): Promise<Bus> {
  const bus = await connectBus({ url: nats.url, name: 'test', prefix: '', log });
  open.push(bus);
  return bus;
}

const listing = request({
  name: 'flags.snapshot.list',
  summary: 'for this test',
  input: z.object({ pieces: z.number(), bytes: z.number() }),
  output: z.object({ number: z.number(), filling: z.string() }),
  errors: ['not-found'],
  permission: 'internal',
  replies: 'many',
});

test('20 MB arrive complete and in order', async () => {
  const [server, client] = [await busWith(), await busWith()];
  server.serveMany(listing, async function* ({ pieces, bytes }) {
    for (let number = 1; number <= pieces; number += 1) yield { number, filling: 'x'.repeat(bytes) };
  });
  await server.flush();
  let bytes = 0;
  const numbers: number[] = [];
  for await (const piece of client.requestMany(listing, { pieces: 40, bytes: 500_000 }, contextWith())) {
    numbers.push(piece.number);
    bytes += piece.filling.length;
  }
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  expect(bytes).toBe(20_000_000);
});

test('an answer may be empty', async () => {
  const [server, client] = [await busWith(), await busWith()];
  server.serveMany(listing, async function* () {});
  await server.flush();
  for await (const _ of client.requestMany(listing, { pieces: 0, bytes: 0 }, contextWith())) expect.unreachable();
});

test('the server stays within the window of a slow caller, and stops when the caller leaves', async () => {
  const [server, client] = [await busWith(), await busWith()];
  let made = 0;
  let isEnded = false;
  server.serveMany(listing, async function* () {
    try {
      for (;;) {
        made += 1;
        yield { number: made, filling: '' };
      }
    } finally {
      isEnded = true;
    }
  });
  await server.flush();
  for await (const piece of client.requestMany(listing, { pieces: 0, bytes: 0 }, contextWith())) {
    // The current piece, those in the window, and the one that the generator has yielded.
    expect(made).toBeLessThanOrEqual(piece.number + pieceWindow + 1);
    if (piece.number === 20) break;
  }
  await pollUntil(async () => expect(isEnded).toBe(true));
});

test('a missing service, a refusal, a failure between pieces and a timeout are different errors', async () => {
  const [server, client] = [await busWith(), await busWith()];
  const collect = async (pieces: number, deadline = Date.now() + 5_000): Promise<void> => {
    for await (const _ of client.requestMany(listing, { pieces, bytes: 0 }, contextWith({ deadline })));
  };
  expect(await thrownBy(() => collect(1))).toMatchObject({ code: 'unavailable' });
  server.serveMany(listing, async function* ({ pieces }) {
    if (pieces === 0) throw new AppError('not-found', 'There is none.');
    yield { number: 1, filling: '' };
    if (pieces === 1) throw new Error('the disk is full');
    if (pieces === 2) yield { number: 2, filling: 'x'.repeat(2_000_000) };
    if (pieces === 3) await new Promise((resolve) => setTimeout(resolve, 400));
  });
  await server.flush();
  expect(await thrownBy(() => collect(0))).toMatchObject({ code: 'not-found' });
  expect(await thrownBy(() => collect(1))).toMatchObject({
    code: 'internal',
    message: expect.stringContaining('req-1'),
  });
  expect(await thrownBy(() => collect(2))).toMatchObject({ code: 'internal' });
  expect(await thrownBy(() => collect(3, Date.now() + 200))).toMatchObject({ code: 'timeout' });
});

const anchors = request({
  name: 'flags.anchor.list',
  summary: 'for this test',
  input: z.object({ kind: z.enum(['missing', 'plain', 'encoded']) }),
  output: z.object({ anchors: z.array(z.string()) }),
  errors: ['not-found'],
  permission: 'internal',
  replies: 'many',
});

test('the items of a list arrive unread, and every caller can read encoded pieces', async () => {
  const [server, client] = [await busWith(), await busWith()];
  server.serveMany(anchors, async function* ({ kind }) {
    if (kind === 'missing') throw new AppError('not-found', 'There is none.');
    if (kind === 'encoded') yield* encodePieces(anchors, ['one', 'ü'], { bytes: 1_000, items: 1 });
    else for (const anchor of ['one', 'ü']) yield { anchors: [anchor] };
  });
  server.serveMany(listing, async function* () {
    yield { number: 1, filling: '' };
  });
  await server.flush();
  for (const kind of ['plain', 'encoded'] as const) {
    const items = await Array.fromAsync(client.requestItems(anchors, { kind }, contextWith()));
    expect(items.map((piece) => Buffer.from(piece).toString())).toEqual(['"one"', '"ü"']);
    const pieces = await Array.fromAsync(client.requestMany(anchors, { kind }, contextWith()));
    expect(pieces).toEqual([{ anchors: ['one'] }, { anchors: ['ü'] }]);
  }
  const itemsOf = (contract: typeof anchors | typeof listing, input: object) => () =>
    Array.fromAsync(client.requestItems(contract, input as never, contextWith()));
  expect(await thrownBy(itemsOf(anchors, { kind: 'missing' }))).toMatchObject({ code: 'not-found' });
  expect(await thrownBy(itemsOf(listing, { pieces: 1, bytes: 0 }))).toMatchObject({ code: 'internal' });
});

test('a lost piece is a timeout, never a shorter answer', async () => {
  const client = await busWith();
  const raw = await dial(nats.url);
  raw.subscribe('rpc.flags.snapshot.list', {
    callback: (_, message) => {
      for (const piece of ['1', '3']) {
        const values = headers();
        values.set(headerNames.piece, piece);
        message.respond(JSON.stringify({ number: Number(piece), filling: '' }), {
          headers: values,
          reply: createInbox(),
        });
      }
    },
  });
  await raw.flush();
  const numbers: number[] = [];
  const error = await thrownBy(async () => {
    for await (const { number } of client.requestMany(listing, { pieces: 3, bytes: 0 }, contextWith()))
      numbers.push(number);
  });
  expect(numbers).toEqual([1]);
  expect(error).toMatchObject({ code: 'timeout' });
  await raw.close();
});
