// Over real sockets: what ends a streamed answer, and that it never outruns its reader.
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

/** The errors that send() threw after the head of its answer. */
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

/** A user with a token of the same name. */
const callerNamed = (name: string, expiresAt: string | null = null): Caller => ({
  actor: { kind: 'user', id: name.charCodeAt(0), username: name, grants: [] },
  token: {
    ...{ id: 1, kind: 'personal', name, selector: name, hash: '', expiresAt, environment: null, projects: [] },
    ...{ actor: null, mustChangePassword: false },
  },
});

/** Serves a stream to the caller that the path names; `authenticate` decides whether the token is still valid. */
async function serve(
  stream: (sink: Sink) => Promise<void>,
  { authenticate = async (caller: Caller) => caller, authenticateEveryMs = 20, expiresAt = null as string | null } = {},
) {
  const streams = createStreams({ requestTimeoutMs: 1_000, authenticateEveryMs });
  const app = express();
  app.get('/:name', (request, response) => {
    const authResult = callerNamed(request.params.name, expiresAt);
    const auth = { authResult, authenticate: () => authenticate(authResult) };
    streams.send(response, { status: 200, stream }, auth, context).catch((error) => {
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

const untilAborted = (sink: Sink) =>
  new Promise<void>((resolve) => sink.signal.addEventListener('abort', () => resolve()));

test('a stream ends when its token is revoked', async () => {
  let isRevoked = false;
  const { url } = await serve(
    async (sink) => {
      await sink.write('first');
      await untilAborted(sink);
    },
    {
      async authenticate(caller) {
        if (isRevoked) throw new AppError('unauthenticated', 'revoked');
        return caller;
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
  const { streams, url } = await serve(
    async (sink) => {
      await sink.write('first');
      await untilAborted(sink);
    },
    {
      // No authentication by the clock while this test runs.
      authenticateEveryMs: 600_000,
      async authenticate(caller) {
        authentications.push(caller.token!.name);
        if (isRevoked) throw new AppError('unauthenticated', 'revoked');
        return caller;
      },
    },
  );
  const ann = await fetch(url);
  const bob = await fetch(new URL('bob', url));
  isRevoked = true;
  streams.reauthenticate(({ name }) => name === 'ann');
  expect(await ann.text()).toBe('first');
  // Each stream once at its beginning, and then the affected one.
  expect(authentications).toEqual(['ann', 'bob', 'ann']);
  await bob.body?.cancel();
});

test('a stream ends when its token expires, also while accounts is unavailable', async () => {
  const { url } = await serve(
    async (sink) => {
      await sink.write('first');
      await untilAborted(sink);
    },
    {
      authenticateEveryMs: 600_000,
      expiresAt: new Date(Date.now() + 1_000).toISOString(),
      authenticate: () => Promise.reject(new AppError('unavailable', 'accounts is away')),
    },
  );
  expect(await (await fetch(url)).text()).toBe('first');
});

test('a caller has at most fifty streams, and others still get theirs', async () => {
  const { url } = await serve(async (sink) => {
    await sink.write('x');
    await untilAborted(sink);
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
  const { url } = await serve(async (sink) => {
    begun += 1;
    await untilAborted(sink);
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
  const { url } = await serve(async (sink) => {
    await sink.write('a part');
    throw new Error('the log went away');
  });
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  expect(faults).toMatchObject([{ message: 'the log went away' }]);
});

test('a client that leaves during a write causes no error', async () => {
  let hasEnded = false;
  const { url } = await serve(async (sink) => {
    try {
      for (;;) {
        await sink.write('x');
        await setImmediate();
      }
    } finally {
      hasEnded = true;
    }
  });
  const response = await fetch(url);
  await response.body?.cancel();
  await eventually(() => expect(hasEnded).toBe(true));
  expect(faults).toEqual([]);
});

test('a client that reads nothing gets no more than sockets buffer, and the stream ends when it leaves', async () => {
  const piece = 'x'.repeat(64_000);
  let written = 0;
  let hasEnded = false;
  const { port } = await serve(async (sink) => {
    sink.signal.addEventListener('abort', () => {
      hasEnded = true;
    });
    for (; written < 5_000; written += 1) await sink.write(piece);
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
  expect(faults).toEqual([]);
});

test('a gateway that stops ends its streams and refuses new ones', async () => {
  const { streams, url } = await serve(async (sink) => {
    await sink.write('x');
    await untilAborted(sink);
  });
  const response = await fetch(url);
  streams.stop();
  expect(await response.text()).toBe('x');
  expect((await fetch(url)).status).toBe(503);
});
