// Proves: an answer of any size arrives complete and in order, or as an error; a caller that leaves stops the service;
// versions before and after the frames of any answer understand each other.
import { createInbox, headers, type Msg } from '@nats-io/transport-node';
import { startTestNats, type TestNats } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { request } from '../contracts/contract.ts';
import { AppError } from '../errors/index.ts';
import type { Bus } from './bus.ts';
import { piecesOf } from './earlier-answers.ts';
import { encodeItems, frameWindow } from './frames.ts';
import { headerNames } from './headers.ts';
import { pieceLimits } from './pieces.ts';
import { contextWith, dial, keepingLogger, openBuses, thrownBy } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

let nats: TestNats;
const { log, lines } = keepingLogger();
const buses = openBuses(log);

beforeAll(async () => {
  nats = await startTestNats();
});
afterEach(async () => {
  await buses.drain();
  lines.length = 0;
});
afterAll(() => nats.remove());

const busWith = () => buses.connect({ url: nats.url });

const common = { writes: false, summary: 'for this test', errors: ['not-found'], permission: 'internal' } as const;
const input = z.object({ count: z.number(), bytes: z.number().default(0) });
const numbered = z.object({ number: z.number(), filling: z.string() });

/** An output that is one list, and one that is not. */
const list = request({ name: 'flags.anchor.list', ...common, input, output: z.object({ anchors: z.array(numbered) }) });
const report = request({
  ...{ name: 'flags.anchor.report', ...common, input },
  output: z.object({ title: z.string(), anchors: z.array(numbered), ships: z.array(z.string()) }),
});

const anchorsOf = ({ count, bytes = 0 }: z.input<typeof input>) =>
  Array.from({ length: count }, (_, n) => ({ number: n + 1, filling: 'x'.repeat(bytes) }));

const parsed = (items: Uint8Array): z.output<typeof numbered>[] => JSON.parse(`[${Buffer.from(items).toString()}]`);

async function serving(start: (server: Bus) => void): Promise<Bus> {
  const [server, client] = [await busWith(), await busWith()];
  start(server);
  await server.flush();
  return client;
}

/** 5 MB: more than the window. */
const large = { count: 20, bytes: 250_000 };

test.each([
  ['a handler that returns them', async (asked: typeof large) => ({ anchors: anchorsOf(asked) })],
  [
    'a handler that yields outputs',
    async function* (asked: typeof large) {
      for (const anchor of anchorsOf(asked)) yield { anchors: [anchor] };
    },
  ],
  [
    'a handler that yields frames',
    async function* (asked: typeof large) {
      yield* encodeItems(list, anchorsOf(asked));
    },
  ],
])('5 MB of %s arrive complete and in order, whole and as items', async (_, handler) => {
  const client = await serving((server) => server.serve(list, handler as never));
  expect(await client.request(list, large, contextWith())).toEqual({ anchors: anchorsOf(large) });
  const items = await Array.fromAsync(client.requestItems(list, large, contextWith()), parsed);
  expect(items.length).toBeGreaterThan(5);
  expect(items.flat()).toEqual(anchorsOf(large));
});

test('an output of 20 MB that is no list arrives, also with an item that is larger than a message', async () => {
  const anchors = [...anchorsOf({ count: 30, bytes: 500_000 }), ...anchorsOf({ count: 1, bytes: 3_000_000 })];
  const output = { title: 'ü'.repeat(1_000_000), anchors, ships: ['one'] };
  const client = await serving((server) => server.serve(report, async () => output));
  expect(await client.request(report, { count: 31 }, contextWith())).toEqual(output);
});

test('outputs that a handler yields are joined list by list', async () => {
  const client = await serving((server) =>
    server.serve(report, async function* () {
      yield { title: 'Two', anchors: anchorsOf({ count: 1 }), ships: [] };
      yield { title: 'Two', anchors: anchorsOf({ count: 1 }), ships: ['one'] };
    }),
  );
  const [anchor] = anchorsOf({ count: 1 });
  const joined = { title: 'Two', anchors: [anchor, anchor], ships: ['one'] };
  expect(await client.request(report, { count: 2 }, contextWith())).toEqual(joined);
});

test('the outputs of an answer arrive one by one, and one that the service cannot divide is one output', async () => {
  const [anchor] = anchorsOf({ count: 1 });
  const whole = { title: 'x'.repeat(600_000), anchors: [], ships: [] };
  let isDivided = true;
  const client = await serving((server) =>
    server.serve(report, (({ count }: { count: number }) => {
      if (!isDivided) return Promise.resolve(whole);
      return (async function* () {
        for (let n = 0; n < count; n += 1) yield { title: 'Two', anchors: [anchor!], ships: [`${n}`] };
      })();
    }) as never),
  );
  const parts = (count: number) => Array.fromAsync(client.requestParts(report, { count }, contextWith()));
  const ships = Array.from({ length: frameWindow + 3 }, (_, n) => [`${n}`]);
  expect((await parts(ships.length)).map((part) => part.ships)).toEqual(ships);
  isDivided = false;
  expect(await parts(1)).toEqual([whole]);
});

test('a long answer is divided by its lists, each part with the other fields', async () => {
  const anchors = anchorsOf({ count: 3, bytes: 200_000 });
  const ships = Array.from({ length: 1_500 }, (_, n) => `${n}`);
  const client = await serving((server) =>
    server.serve(report, (() => Promise.resolve({ title: 'One', anchors, ships })) as never),
  );
  const parts = await Array.fromAsync(client.requestParts(report, { count: 0 }, contextWith()));
  expect(parts).toEqual([
    ...anchors.map((anchor) => ({ title: 'One', anchors: [anchor], ships: [] })),
    ...[ships.slice(0, 1_000), ships.slice(1_000)].map((some) => ({ title: 'One', anchors: [], ships: some })),
  ]);
  expect(await client.request(report, { count: 0 }, contextWith())).toEqual({ title: 'One', anchors, ships });
});

test('an answer may be empty', async () => {
  const client = await serving((server) => {
    server.serve(list, async function* () {});
    server.serve(report, async function* () {});
  });
  expect(await client.request(list, { count: 0 }, contextWith())).toEqual({ anchors: [] });
  expect(await Array.fromAsync(client.requestItems(list, { count: 0 }, contextWith()))).toEqual([]);
  // Without an output there is no title.
  const request = () => client.request(report, { count: 0 }, contextWith());
  expect(await thrownBy(request)).toMatchObject({ code: 'internal', message: expect.stringContaining('conform') });
});

test('the service stays within the window of a slow caller, and stops when the caller leaves', async () => {
  let made = 0;
  let isEnded = false;
  const client = await serving((server) =>
    server.serve(list, async function* () {
      try {
        for (;;) {
          made += 1;
          yield { anchors: [{ number: made, filling: '' }] };
        }
      } finally {
        isEnded = true;
      }
    }),
  );
  for await (const items of client.requestItems(list, { count: 0 }, contextWith())) {
    const [{ number }] = parsed(items) as [z.output<typeof numbered>];
    // The current frame, those in the window, and the one that the generator has yielded.
    expect(made).toBeLessThanOrEqual(number + frameWindow + 1);
    if (number === 20) break;
  }
  await pollUntil(async () => expect(isEnded).toBe(true));
});

test('a missing service, a refusal, a failure between frames and a timeout are different errors', async () => {
  const [server, client] = [await busWith(), await busWith()];
  const whole = (count: number, deadline = Date.now() + 5_000) =>
    client.request(list, { count }, contextWith({ deadline }));
  const items = (count: number, deadline = Date.now() + 5_000) =>
    Array.fromAsync(client.requestItems(list, { count }, contextWith({ deadline })));
  for (const collect of [whole, items]) {
    expect(await thrownBy(() => collect(1))).toMatchObject({ code: 'unavailable' });
  }
  server.serve(list, async function* ({ count }) {
    if (count === 0) throw new AppError('not-found', 'There is none.');
    yield { anchors: anchorsOf({ count: 1 }) };
    if (count === 1) throw new Error('the disk is full');
    if (count === 2) yield { anchors: anchorsOf({ count: 1, bytes: 2_000_000 }) };
    if (count === 3) await new Promise((resolve) => setTimeout(resolve, 400));
  });
  await server.flush();
  for (const collect of [whole, items]) {
    expect(await thrownBy(() => collect(0))).toMatchObject({ code: 'not-found' });
    expect(await thrownBy(() => collect(1))).toMatchObject({
      code: 'internal',
      message: expect.stringContaining('req-1'),
    });
    expect(await thrownBy(() => collect(2))).toMatchObject({ code: 'internal' });
    expect(await thrownBy(() => collect(3, Date.now() + 200))).toMatchObject({ code: 'timeout' });
  }
});

test('many long answers at once do not mix', async () => {
  const client = await serving((server) => server.serve(list, async (asked) => ({ anchors: anchorsOf(asked) })));
  const asked = Array.from({ length: 20 }, (_, n) => ({ count: n + 1, bytes: 100_000 }));
  const answers = await Promise.all(asked.map((each) => client.request(list, each, contextWith())));
  expect(answers.map(({ anchors }) => anchors.length)).toEqual(asked.map(({ count }) => count));
});

test('items of an output that is not one list are an error', async () => {
  const client = await serving((server) => server.serve(report, async () => ({ title: '', anchors: [], ships: [] })));
  const collect = () => Array.fromAsync(client.requestItems(report, { count: 1 }, contextWith()));
  expect(await thrownBy(collect)).toMatchObject({ message: 'the output of flags.anchor.report is not one list' });
});

/** Calls `answer` for each request of a contract, as another program would. */
async function answering({ name }: typeof list | typeof report, answer: (message: Msg) => void) {
  const raw = await dial(nats.url);
  raw.subscribe(`rpc.${name}`, { callback: (_, message) => answer(message) });
  await raw.flush();
  return raw;
}

/** A message of an answer as 18d16db sends it. `control` is the subject for the number of handled pieces. */
function reply(message: Msg, body: unknown, values: Record<string, string> = {}, control?: string): void {
  const sent = headers();
  for (const [name, value] of Object.entries(values)) sent.set(name, value);
  message.respond(body === undefined ? '' : JSON.stringify(body), {
    headers: sent,
    ...(control && { reply: control }),
  });
}

test('a lost frame is a timeout, never a shorter answer', async () => {
  const client = await busWith();
  const raw = await answering(list, (message) => {
    for (const number of [1, 3]) {
      reply(message, { anchors: [{ number, filling: '' }] }, { [headerNames.frame]: String(number) }, createInbox());
    }
  });
  const numbers: number[] = [];
  const error = await thrownBy(async () => {
    for await (const items of client.requestItems(list, { count: 3 }, contextWith())) {
      numbers.push(...parsed(items).map(({ number }) => number));
    }
  });
  expect(numbers).toEqual([1]);
  expect(error).toMatchObject({ code: 'timeout' });
  expect(await thrownBy(() => client.request(list, { count: 3 }, contextWith()))).toMatchObject({ code: 'timeout' });
  await raw.close();
});

test('an answer of a service of 18d16db, in one message or in pieces, is understood', async () => {
  const client = await busWith();
  const handled: string[] = [];
  const raw = await dial(nats.url);
  raw.subscribe('_INBOX.flags.test.control', { callback: (_, message) => void handled.push(message.string()) });
  /** It sends at most four pieces ahead, so these are all. */
  const sendPieces = (message: Msg, pieces: unknown[]) => {
    for (const [index, piece] of pieces.entries()) {
      reply(message, piece, { 'Yardarm-Piece': String(index + 1) }, '_INBOX.flags.test.control');
    }
    reply(message, undefined, { 'Yardarm-Pieces': String(pieces.length) }, '_INBOX.flags.test.control');
  };
  const [one, two] = anchorsOf({ count: 2 });
  raw.subscribe(`rpc.${report.name}`, {
    callback: (_, message) => {
      const { count } = JSON.parse(message.string());
      if (count === 1) reply(message, { title: 'One', anchors: [one], ships: [] });
      else if (count === 2) {
        sendPieces(message, [
          ...[
            { title: 'Two', anchors: [one], ships: [] },
            { title: 'Two', anchors: [two], ships: [] },
          ],
          { title: 'Two', anchors: [], ships: ['ship'] },
        ]);
      } else reply(message, { code: 'not-found', message: 'There is none.' }, { 'Yardarm-Error': 'not-found' });
    },
  });
  raw.subscribe(`rpc.${list.name}`, {
    callback: (_, message) => sendPieces(message, [{ anchors: [one] }, { anchors: [two] }]),
  });
  await raw.flush();
  const ask = (count: number) => client.request(report, { count }, contextWith());
  expect(await ask(1)).toEqual({ title: 'One', anchors: [one], ships: [] });
  expect(await ask(2)).toEqual({ title: 'Two', anchors: [one, two], ships: ['ship'] });
  await pollUntil(async () => expect(handled).toEqual(['1', '2', '3']));
  expect(await thrownBy(() => ask(3))).toMatchObject({ code: 'not-found' });
  expect(await client.request(list, { count: 2 }, contextWith())).toEqual({ anchors: [one, two] });
  const items = client.requestItems(list, { count: 2 }, contextWith());
  expect(await Array.fromAsync(items, parsed)).toEqual([[one], [two]]);
  await raw.close();
});

test('a caller of 18d16db gets pieces where it expects them, and otherwise one message', async () => {
  const server = await busWith();
  const output = { title: 'All', anchors: anchorsOf({ count: 20, bytes: 100_000 }), ships: ['one', 'two'] };
  server.serve(report, async ({ count }) => (count === 0 ? { title: '', anchors: [], ships: [] } : output));
  server.serve(list, async ({ count }) => {
    if (count === 0) throw new AppError('not-found', 'There is none.');
    return { anchors: anchorsOf({ count, bytes: 100_000 }) };
  });
  await server.flush();
  const raw = await dial(nats.url);

  /** Asks with an inbox of its own, as 18d16db does for pieces, and returns every message of the answer. */
  const askForPieces = async (contract: typeof list | typeof report, count: number): Promise<Msg[]> => {
    const inbox = `_INBOX.test.flags.${createInbox().slice('_INBOX.'.length)}`;
    const messages: Msg[] = [];
    for (const subscription = raw.subscribe(inbox); ; subscription.unsubscribe()) {
      raw.publish(`rpc.${contract.name}`, JSON.stringify({ count }), { reply: inbox });
      for await (const message of subscription) {
        messages.push(message);
        if (message.headers?.has('Yardarm-Pieces') || message.headers?.has('Yardarm-Error')) return messages;
        raw.publish(message.reply!, message.headers!.get('Yardarm-Piece'));
      }
    }
  };

  const messages = await askForPieces(report, 1);
  const pieces = messages.slice(0, -1).map((message) => message.json<typeof output>());
  expect(messages.slice(0, -1).map(({ headers: sent }) => sent!.get('Yardarm-Piece'))).toEqual(
    pieces.map((_, index) => String(index + 1)),
  );
  expect(messages.at(-1)!.headers!.get('Yardarm-Pieces')).toBe(String(pieces.length));
  for (const piece of pieces) {
    expect(report.output.parse(piece)).toMatchObject({ title: 'All' });
    expect(JSON.stringify(piece).length).toBeLessThan(pieceLimits.bytes + 1_000);
  }
  expect(pieces.flatMap(({ anchors }) => anchors)).toEqual(output.anchors);
  expect(pieces.flatMap(({ ships }) => ships)).toEqual(output.ships);

  const [first, ...rest] = await askForPieces(list, 2);
  // Its gateway takes the items from this text.
  expect(first!.string()).toBe(JSON.stringify({ anchors: anchorsOf({ count: 2, bytes: 100_000 }) }));
  expect(rest).toHaveLength(1);
  expect((await askForPieces(report, 0))[0]!.json()).toEqual({ title: '', anchors: [], ships: [] });
  expect((await askForPieces(list, 0)).map((message) => message.json())).toMatchObject([{ code: 'not-found' }]);

  // Its gateway joins the parts of groups, of which a part has some of the members.
  const users = Array.from({ length: 4 }, (_, id) => ({ id, name: 'x'.repeat(200_000) }));
  const small = { id: 2, mappingsSSO: [], users: [], projects: [] };
  const crowded = { id: 1, mappingsSSO: ['a'], users, projects: ['default'] };
  const parts = users.map((user) => ({ ...crowded, users: [user] }));
  expect([...piecesOf('accounts.group.get', crowded)]).toEqual(parts);
  const inList = [[parts[0]], [parts[1]], [parts[2]], [parts[3], small]].map((groups) => ({ groups }));
  expect([...piecesOf('accounts.group.list', { groups: [crowded, small] })]).toEqual(inList);

  // An inbox that its requests share has one more token.
  const shared = raw.subscribe('_INBOX.test.flags.shared.*', { max: 1 });
  raw.publish(`rpc.${list.name}`, JSON.stringify({ count: 5 }), { reply: '_INBOX.test.flags.shared.1' });
  for await (const message of shared) {
    expect(message.reply).toBeFalsy();
    expect(message.json()).toEqual({ anchors: anchorsOf({ count: 5, bytes: 100_000 }) });
  }
  await raw.close();
});
