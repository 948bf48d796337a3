// Proves over real sockets what ends an answer that is sent bit by bit, and that it never outruns its reader.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { RequestContext } from '@yardarm/shared/bus';
import { AppError } from '@yardarm/shared/errors';
import { eventually } from '@yardarm/testing';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sink } from './sink.ts';
import { createStreams, type Streams } from './streams.ts';

const context: RequestContext = { requestId: 'r', actor: null, deadline: Date.now() + 60_000, traceparent: null };
const servers: Server[] = [];

/** What send() threw after the head of its answer: this would be in the log. */
let faults: unknown[] = [];

beforeEach(() => {
  faults = [];
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

type Caller = Parameters<Streams['send']>[2]['authResult'];

/** Somebody with a token of theirs; tokens go by the name of their owner here. */
const callerNamed = (name: string, expiresAt: string | null = null): Caller => ({
  actor: { kind: 'user', id: name.charCodeAt(0), username: name, grants: [] },
  token: {
    ...{ id: 1, kind: 'personal', name, selector: name, hash: '', expiresAt, environment: null, projects: [] },
    ...{ actor: null, mustChangePassword: false },
  },
});

/** Serves one stream to whoever asks, by their name in the path; `authRequest` says whether the door still opens. */
async function serve(
  stream: (sink: Sink) => Promise<void>,
  { authRequest = async (caller: Caller) => caller, authenticateEveryMs = 20, expiresAt = null as string | null } = {},
) {
  const streams = createStreams({ requestTimeoutMs: 1_000, authenticateEveryMs });
  const app = express();
  app.get('/:name', (request, response) => {
    const authResult = callerNamed(request.params.name, expiresAt);
    const audience = { authResult, authRequest: () => authRequest(authResult) };
    streams.send(response, { status: 200, stream }, audience, context).catch((error) => {
      if (response.headersSent) {
        faults.push(error);
        response.destroy();
      } else {
        response.status((error as AppError).status).end();
      }
    });
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { streams, port, url: `http://127.0.0.1:${port}/ann` };
}

const untilOver = (sink: Sink) =>
  new Promise<void>((resolve) => sink.signal.addEventListener('abort', () => resolve()));

test('a stream ends when its token no longer opens the door', async () => {
  let isRevoked = false;
  const { url } = await serve(
    async (sink) => {
      await sink.write('first');
      await untilOver(sink);
    },
    {
      async authRequest(caller) {
        if (isRevoked) throw new AppError('unauthenticated', 'revoked');
        return caller;
      },
    },
  );
  const response = await fetch(url);
  isRevoked = true;
  expect(await response.text()).toBe('first');
});

test('a stream whose token is changed has its door opened at once, and no other has', async () => {
  const authentications: string[] = [];
  let isRevoked = false;
  const { streams, url } = await serve(
    async (sink) => {
      await sink.write('first');
      await untilOver(sink);
    },
    {
      // None by the clock while this test runs.
      authenticateEveryMs: 600_000,
      async authRequest(caller) {
        authentications.push(caller.token!.name);
        if (isRevoked) throw new AppError('unauthenticated', 'revoked');
        return caller;
      },
    },
  );
  const ann = await fetch(url);
  const bob = await fetch(new URL('bob', url));
  isRevoked = true;
  streams.authRequest(({ name }) => name === 'ann');
  expect(await ann.text()).toBe('first');
  // Each once as it began, and the one that is concerned.
  expect(authentications).toEqual(['ann', 'bob', 'ann']);
  await bob.body?.cancel();
});

test('a stream ends when its token expires, also while nobody can be asked', async () => {
  const { url } = await serve(
    async (sink) => {
      await sink.write('first');
      await untilOver(sink);
    },
    {
      authenticateEveryMs: 600_000,
      expiresAt: new Date(Date.now() + 1_000).toISOString(),
      authRequest: () => Promise.reject(new AppError('unavailable', 'accounts is away')),
    },
  );
  expect(await (await fetch(url)).text()).toBe('first');
});

test('somebody has fifty streams at most, which leaves the rest to others', async () => {
  const { url } = await serve(async (sink) => {
    await sink.write('x');
    await untilOver(sink);
  });
  const open = (path: string) => fetch(new URL(path, url));
  const streams = await Promise.all(Array.from({ length: 50 }, () => open('ann')));
  const last = [await open('ann'), await open('bob')];
  expect([...streams, ...last].map(({ status }) => status)).toEqual([...Array(50).fill(200), 429, 200]);
  // Kept until here: fetch ends the body of a Response that was collected, and with it the stream.
  await Promise.all([...streams, ...last].map(({ body }) => body?.cancel()));
});

test('a stream that throws is broken off, so that nobody takes a part for the whole', async () => {
  const { url } = await serve(async (sink) => {
    await sink.write('a part');
    throw new Error('the log went away');
  });
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  expect(faults).toMatchObject([{ message: 'the log went away' }]);
});

test('a client that leaves while it is written to is a fault of nobody', async () => {
  let isOver = false;
  const { url } = await serve(async (sink) => {
    try {
      for (;;) {
        await sink.write('x');
        await setImmediate();
      }
    } finally {
      isOver = true;
    }
  });
  const response = await fetch(url);
  await response.body?.cancel();
  await eventually(() => expect(isOver).toBe(true));
  expect(faults).toEqual([]);
});

test('a reader that takes nothing is not written to beyond what sockets hold, and its leaving ends the stream', async () => {
  const piece = 'x'.repeat(64_000);
  let written = 0;
  let isOver = false;
  const { port } = await serve(async (sink) => {
    sink.signal.addEventListener('abort', () => {
      isOver = true;
    });
    for (; written < 5_000; written += 1) await sink.write(piece);
  });
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write('GET /ann HTTP/1.1\r\nhost: x\r\n\r\n');
  let before = -1;
  await eventually(async () => {
    const isStill = written > 0 && written === before;
    before = written;
    expect(isStill).toBe(true);
  });
  // 320 MB were to be sent.
  expect(written).toBeLessThan(1_000);
  socket.destroy();
  await eventually(async () => expect(isOver).toBe(true));
  expect(faults).toEqual([]);
});

test('a gateway that stops ends its streams and takes no new ones', async () => {
  const { streams, url } = await serve(async (sink) => {
    await sink.write('x');
    await untilOver(sink);
  });
  const response = await fetch(url);
  streams.stop();
  expect(await response.text()).toBe('x');
  expect((await fetch(url)).status).toBe(503);
});
