// Proves over real sockets what ends an answer that is sent bit by bit, and that it never outruns its reader.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { RequestContext } from '@yardarm/shared/bus';
import { AppError } from '@yardarm/shared/errors';
import { eventually } from '@yardarm/testing';
import express from 'express';
import { afterEach, expect, test } from 'vitest';
import type { Sink } from './sink.ts';
import { createStreams } from './streams.ts';

const context: RequestContext = { requestId: 'r', actor: null, deadline: Date.now() + 60_000, traceparent: null };
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** Serves one stream to whoever asks; `knock` says whether the door still opens. */
async function serve(stream: (sink: Sink) => Promise<void>, knock = async () => ({ actor: null })) {
  const streams = createStreams({ requestTimeoutMs: 1_000, knockEveryMs: 20 });
  const app = express();
  app.get('/', (_request, response) => {
    streams.send(response, { status: 200, stream }, knock, context).catch((error) => {
      if (response.headersSent) response.destroy();
      else response.status((error as AppError).status).end();
    });
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { streams, port, url: `http://127.0.0.1:${port}/` };
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
    async () => {
      if (isRevoked) throw new AppError('unauthenticated', 'revoked');
      return { actor: null };
    },
  );
  const response = await fetch(url);
  isRevoked = true;
  expect(await response.text()).toBe('first');
});

test('a stream that throws is broken off, so that nobody takes a part for the whole', async () => {
  const { url } = await serve(async (sink) => {
    await sink.write('a part');
    throw new Error('the log went away');
  });
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
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
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
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
