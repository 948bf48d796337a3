// Over real sockets: what ends a streamed answer, and that it never outruns its reader.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { RequestContext } from '@yardarm/shared/bus';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { MaybePromise } from '@yardarm/shared/waiting';
import { eventually } from '@yardarm/testing';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AnswerWriter, toEvent } from './answer-writer.ts';
import {
  administratorOf,
  type OpenStream,
  OpenStreams,
  type StreamClient,
  type StreamOptions,
} from './open-streams.ts';

const context: RequestContext = { requestId: 'r', actor: null, deadline: Date.now() + 60_000, traceparent: null };
const servers: Server[] = [];
const opened: OpenStreams[] = [];

/** The errors that were thrown after the head of an answer. */
let problems: unknown[] = [];

beforeEach(() => {
  problems = [];
});

afterEach(async () => {
  for (const streams of opened.splice(0)) streams.stop();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

type Authenticate = StreamClient['authenticate'];

/** A user with a token of the same name. */
function callerNamed(name: string, expiresAt: string | null = null) {
  const id = name.charCodeAt(0);
  const actor = { kind: 'user' as const, id, username: name, grants: [] };
  const token: ResolvedToken = {
    ...{ id, kind: 'personal', name, selector: name, hash: '', expiresAt, environment: null, projects: [] },
    ...{ actor: null, mustChangePassword: false },
  };
  return { actor, token };
}

const limits = { limit: 1_000, limitPerCaller: 50, callerOf: administratorOf, whenFull: 'unavailable' } as const;

interface Options extends Partial<StreamOptions> {
  authenticate?: (found: Awaited<ReturnType<Authenticate>>) => ReturnType<Authenticate>;
  expiresAt?: string | null;
}

/** Serves answers to the caller that the path names; `authenticate` decides whether the token is still valid. */
async function serve(
  answer: (streams: OpenStreams, client: StreamClient) => MaybePromise<void>,
  { authenticate = async (found) => found, expiresAt = null, checkEveryMs = 20, ...options }: Options = {},
) {
  const streams = new OpenStreams({ ...limits, checkEveryMs, ...options });
  opened.push(streams);
  const app = express();
  app.get('/:name', async (request, response) => {
    const caller = callerNamed(request.params.name, expiresAt);
    const again = () => authenticate({ token: caller.token, context });
    try {
      await answer(streams, { response, address: request.ip!, ...caller, authenticate: again });
    } catch (error) {
      if (response.headersSent) {
        problems.push(error);
        response.destroy();
      } else {
        response.status((error as AppError).status).end();
      }
    }
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { streams, port, url: `http://127.0.0.1:${port}/ann` };
}

/** Serves what a function writes. */
const run = (produce: (stream: OpenStream) => Promise<void>, options?: Options) =>
  serve((streams, client) => streams.run(client, { 'content-type': 'text/plain' }, produce), options);

/** Serves event streams. `writers` are those that are open. */
async function serveEvents(options?: Options) {
  const writers = new Set<AnswerWriter>();
  const served = await serve((streams, client) => {
    const writer = streams.open(client, (closed) => writers.delete(closed));
    if (writer === null) return;
    writer.send(toEvent('first', '1', Buffer.from('{}')));
    writers.add(writer);
  }, options);
  return { ...served, writers };
}

const firstEvent = 'id: 1\nevent: first\ndata: {}\n\n';

const untilAborted = ({ signal }: AnswerWriter) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

test('a stream ends when its token is revoked', async () => {
  let isRevoked = false;
  const { url } = await run(
    async ({ writer }) => {
      await writer.write('first');
      await untilAborted(writer);
    },
    {
      async authenticate(found) {
        if (isRevoked) throw new AppError('unauthenticated', 'revoked');
        return found;
      },
    },
  );
  const response = await fetch(url);
  isRevoked = true;
  expect(await response.text()).toBe('first');
});

test('a stream whose token changes is authenticated again at once, and no other is', async () => {
  const authentications: string[] = [];
  let isRevoked = false;
  const { streams, url } = await run(
    async ({ writer }) => {
      await writer.write('first');
      await untilAborted(writer);
    },
    {
      // No authentication by the clock while this test runs.
      checkEveryMs: 600_000,
      async authenticate(found) {
        authentications.push(found.token!.name);
        if (isRevoked) throw new AppError('unauthenticated', 'revoked');
        return found;
      },
    },
  );
  const ann = await fetch(url);
  const bob = await fetch(new URL('bob', url));
  isRevoked = true;
  streams.recheck(({ name }) => name === 'ann');
  expect(await ann.text()).toBe('first');
  // Each stream once at its beginning, and then the affected one.
  expect(authentications).toEqual(['ann', 'bob', 'ann']);
  await bob.body?.cancel();
});

test('a stream ends when its token expires, also while accounts is unavailable', async () => {
  const { url } = await run(
    async ({ writer }) => {
      await writer.write('first');
      await untilAborted(writer);
    },
    {
      checkEveryMs: 600_000,
      expiresAt: new Date(Date.now() + 1_000).toISOString(),
      authenticate: () => Promise.reject(new AppError('unavailable', 'accounts is away')),
    },
  );
  expect(await (await fetch(url)).text()).toBe('first');
});

test('a caller has at most fifty streams, and others still get theirs', async () => {
  const { url } = await run(async ({ writer }) => {
    await writer.write('x');
    await untilAborted(writer);
  });
  const open = (path: string) => fetch(new URL(path, url));
  const streams = await Promise.all(Array.from({ length: 50 }, () => open('ann')));
  const last = [await open('ann'), await open('bob')];
  expect([...streams, ...last].map(({ status }) => status)).toEqual([...Array(50).fill(200), 429, 200]);
  // The responses are kept until here: fetch cancels the body of a collected Response, which ends the stream.
  await Promise.all([...streams, ...last].map(({ body }) => body?.cancel()));
});

test('HEAD gets the head of a stream and opens none, as often as it is sent', async () => {
  let begun = 0;
  const { url } = await run(async ({ writer }) => {
    begun += 1;
    await untilAborted(writer);
  });
  for (let count = 0; count <= 50; count += 1) {
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  }
  expect(begun).toBe(0);
  expect((await fetch(url)).status).toBe(200);
  expect(begun).toBe(1);
});

test('a stream that throws is broken off, so a client does not take a part for the whole', async () => {
  const { url } = await run(async ({ writer }) => {
    await writer.write('a part');
    throw new Error('the log went away');
  });
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  expect(problems).toMatchObject([{ message: 'the log went away' }]);
});

test('a client that leaves before the first part aborts the stream and causes no error', async () => {
  let isAborted: boolean | undefined;
  const { url } = await serve(async (streams, client) => {
    const closed = once(client.response, 'close');
    await streams.run(client, {}, async ({ writer }) => {
      await closed;
      isAborted = writer.signal.aborted;
      await writer.write('x');
    });
  });
  const response = await fetch(url);
  await response.body?.cancel();
  await eventually(() => expect(isAborted).toBe(true));
  expect(problems).toEqual([]);
});

test('a client that leaves during a write causes no error', async () => {
  let hasEnded = false;
  const { url } = await run(async ({ writer }) => {
    try {
      for (;;) {
        await writer.write('x');
        await setImmediate();
      }
    } finally {
      hasEnded = true;
    }
  });
  const response = await fetch(url);
  await response.body?.cancel();
  await eventually(() => expect(hasEnded).toBe(true));
  expect(problems).toEqual([]);
});

test('a client that reads nothing gets no more than sockets buffer, and the stream ends when it leaves', async () => {
  const piece = 'x'.repeat(64_000);
  let written = 0;
  let hasEnded = false;
  const { port } = await run(async ({ writer }) => {
    writer.signal.addEventListener('abort', () => {
      hasEnded = true;
    });
    for (; written < 5_000; written += 1) await writer.write(piece);
  });
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write('GET /ann HTTP/1.1\r\nhost: x\r\n\r\n');
  let before = -1;
  await eventually(async () => {
    const isStalled = written > 0 && written === before;
    before = written;
    expect(isStalled).toBe(true);
  });
  // The whole stream is 320 MB.
  expect(written).toBeLessThan(1_000);
  socket.destroy();
  await eventually(async () => expect(hasEnded).toBe(true));
  expect(problems).toEqual([]);
});

test('a gateway that stops ends its streams and refuses new ones', async () => {
  const { streams, url } = await run(async ({ writer }) => {
    await writer.write('x');
    await untilAborted(writer);
  });
  const response = await fetch(url);
  streams.stop();
  expect(await response.text()).toBe('x');
  expect((await fetch(url)).status).toBe(503);
});

test('a full gateway refuses a stream with the error of its limits, and accepts one when another is closed', async () => {
  const { url, writers } = await serveEvents({ limit: 1, whenFull: 'rate-limited' });
  const first = await fetch(url);
  expect([first.status, (await fetch(url)).status, (await fetch(url, { method: 'HEAD' })).status]).toEqual([
    ...[200, 429, 429],
  ]);
  await first.body?.cancel();
  await eventually(() => expect(writers.size).toBe(0));
  const second = await fetch(url);
  expect(second.status).toBe(200);
  await second.body?.cancel();
});

test('a stream that occupies several places takes as many of its caller, until it is closed', async () => {
  const writers = new Set<AnswerWriter>();
  const { url } = await serve(
    (streams, client) => {
      const writer = streams.open(client, (closed) => writers.delete(closed), 2);
      if (writer === null) return;
      writer.send(toEvent('first', '1', Buffer.from('{}')));
      writers.add(writer);
    },
    { limitPerCaller: 4, limit: 6 },
  );
  const open = (path: string) => fetch(new URL(path, url));
  const [first, second] = [await open('ann'), await open('ann')];
  const refused = await open('ann');
  const third = await open('bob');
  expect([first, second, refused, third].map(({ status }) => status)).toEqual([200, 200, 429, 200]);
  const refusedByAll = await open('bob');
  expect(refusedByAll.status).toBe(503);
  await first.body?.cancel();
  await eventually(() => expect(writers.size).toBe(2));
  const [fourth, fifth] = [await open('ann'), await open('ann')];
  expect([fourth.status, fifth.status]).toEqual([200, 503]);
  await Promise.all([second, third, fourth].map(({ body }) => body?.cancel()));
});

test('one check of a token is for all of its event streams, and its refusal completes their answers', async () => {
  let checks = 0;
  let isRevoked = false;
  const { streams, url } = await serveEvents({
    checkEveryMs: 600_000,
    async authenticate(found) {
      checks += 1;
      return isRevoked ? { ...found, token: null } : found;
    },
  });
  const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(url)));
  // One for each stream that opens, in case that a hint arrived before.
  expect(checks).toBe(20);
  isRevoked = true;
  streams.recheck(() => true);
  expect(await Promise.all(responses.map((response) => response.text()))).toEqual(Array(20).fill(firstEvent));
  expect(checks).toBe(21);
});

test.each([
  ['another environment', { environment: 'production' }],
  ['other projects', { projects: ['a'] }],
])('an event stream ends when its token reads %s, and stays while accounts is unavailable', async (_title, change) => {
  let isAway = true;
  let checks = 0;
  const { url, writers } = await serveEvents({
    async authenticate(found) {
      checks += 1;
      if (isAway) throw new AppError('unavailable', 'accounts is away');
      return { ...found, token: { ...found.token!, ...change } };
    },
  });
  const response = await fetch(url);
  await eventually(() => expect(checks).toBeGreaterThan(3));
  expect(writers.size).toBe(1);
  isAway = false;
  expect(await response.text()).toBe(firstEvent);
});

test('an event stream whose token has expired while it was opened is completed', async () => {
  const { url } = await serveEvents({ expiresAt: new Date(Date.now() - 1).toISOString() });
  expect(await (await fetch(url)).text()).toBe('');
  expect(problems).toEqual([]);
});

test('event streams get comments while nothing happens, and other answers do not', async () => {
  const events = await serveEvents({ commentEveryMs: 20 });
  const reader = (await fetch(events.url)).body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.split(': \n\n').length < 3) text += (await reader.read()).value;
  expect(text.replaceAll(': \n\n', '')).toBe(firstEvent);
  await reader.cancel();

  let release = () => {};
  const untilReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const exported = await run(
    async ({ writer }) => {
      await writer.write('a');
      await untilReleased;
      await writer.write('b');
    },
    { commentEveryMs: 1 },
  );
  const response = await fetch(exported.url);
  setTimeout(release, 50);
  expect(await response.text()).toBe('ab');
});

test('other work runs between the comments to many streams', async () => {
  let turn = 0;
  let isOver = false;
  const countTurns = async () => {
    for (; !isOver; turn += 1) await setImmediate();
  };
  /** The turn of the event loop in which each comment was sent. */
  const turns: number[] = [];
  const { url } = await serve(
    (streams, client) => {
      const { response } = client;
      streams.open(client, () => undefined)?.send([Buffer.from('first')]);
      const write = response.write.bind(response) as (chunk: Buffer) => boolean;
      response.write = (chunk: Buffer) => {
        for (const until = performance.now() + 0.2; performance.now() < until; );
        turns.push(turn);
        return write(chunk);
      };
    },
    { commentEveryMs: 300 },
  );
  const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(url)));
  turns.length = 0;
  const counted = countTurns();
  await eventually(() => expect(turns.length).toBeGreaterThanOrEqual(50));
  isOver = true;
  await counted;
  expect(new Set(turns.slice(0, 50)).size).toBeGreaterThan(2);
  await Promise.all(answers.map(({ body }) => body?.cancel()));
});

test('an administrator who ends all streams completes their answers, and new ones are accepted', async () => {
  const { streams, url } = await serveEvents();
  const response = await fetch(url);
  streams.endAll();
  expect(await response.text()).toBe(firstEvent);
  const again = await fetch(url);
  expect(again.status).toBe(200);
  await again.body?.cancel();
});
