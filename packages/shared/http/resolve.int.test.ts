// Proves that a name without an answer does not delay others, and that the system resolves unknown names.

import { createSocket, type Socket } from 'node:dgram';
import { longTest } from '@yardarm/testing';
import { afterEach, expect, it } from 'vitest';
import { createResolve } from './resolve.ts';

const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** Answers A queries of `known` with 192.0.2.7, AAAA ones with nothing, `unknown` with NXDOMAIN, and no others. */
async function startNameServer(): Promise<string> {
  const socket = createSocket('udp4', (query, from) => {
    const name = query.subarray(12).toString('latin1');
    const isKnown = name.includes('known');
    if (!isKnown) return;
    const isMissing = name.includes('unknown');
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const isA = question.at(-3) === 1;
    const answer =
      isA && !isMissing ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]) : Buffer.alloc(0);
    const header = Buffer.from([
      query[0]!,
      query[1]!,
      0x81,
      isMissing ? 0x83 : 0x80,
      0,
      1,
      0,
      answer.length > 0 ? 1 : 0,
      0,
      0,
      0,
      0,
    ]);
    socket.send(Buffer.concat([header, question, answer]), from.port, from.address);
  });
  sockets.push(socket);
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return `127.0.0.1:${socket.address().port}`;
}

longTest(
  'a name is resolved at once while forty others hang',
  async () => {
    const resolve = createResolve([await startNameServer()]);
    let stillHanging = 40;
    const hanging = Array.from({ length: 40 }, (_, n) =>
      resolve(`hangs-${n}.example`).then(
        () => 'answered',
        (error: NodeJS.ErrnoException) => {
          stillHanging -= 1;
          return error.code;
        },
      ),
    );
    expect(await resolve('known.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    // `localhost` needs a free thread.
    expect((await resolve('localhost')).map(({ address }) => address)).toContain('127.0.0.1');
    expect(stillHanging).toBe(40);
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(['ETIMEOUT']));
  },
  20_000,
);

it('a name that no server knows is resolved by the system, which reports it unknown', async () => {
  const resolve = createResolve([await startNameServer()]);
  await expect(resolve('unknown.invalid')).rejects.toMatchObject({
    code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
  });
});
