// Rounds of a thousand channels, over a real socket. What a channel gets, and how long that takes, is the test's.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { eventually } from '@yardarm/testing';
import { expect, test } from 'vitest';
import { AnswerWriter } from '../../routing/answer-writer.ts';
import { scopeOf } from '../../testing/snapshots.ts';
import { Channels } from './channels.ts';

test('other work runs between channels whose streams get nothing of a change', async () => {
  const server = createServer((_request, response) => {
    const stream = new AnswerWriter(response);
    for (let n = 0; n < 1_000; n += 1) {
      const scope = scopeOf({ namePrefix: `nothing-${n}`, isFiltered: true });
      channels.follow(stream, { scope, revision: 1, epoch: 'epoch' }, 1);
    }
    stream.comment();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let asked = 0;
  const nothing = () => {
    asked += 1;
    for (const until = performance.now() + 0.1; performance.now() < until; );
    return null;
  };
  const channels = new Channels({ watch: () => () => undefined }, nothing, () => 0);
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}`);
  channels.schedule('development');
  await turnOfEventLoop();
  expect(asked).toBeLessThan(1_000);
  await eventually(() => expect(asked).toBe(1_000));
  await answer.body?.cancel();
  server.close();
});
