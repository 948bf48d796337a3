// An attempt to connect that fails keeps nothing open.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { dial, loginOf } from './dial.ts';
import { inboxesOf } from './inboxes.ts';
import { keepingLogger, thrownBy } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

test('a server that accepts connections and says nothing has none open after the attempt has timed out', async () => {
  const open = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    open.add(socket.resume());
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { url, name: 'early', prefix: '', log: keepingLogger().log };
    const inboxes = inboxesOf('early', (plain) => plain);
    expect(await thrownBy(() => dial(options, inboxes, loginOf(options)))).toMatchObject({ name: 'TimeoutError' });
    expect(accepted).toBe(1);
    await pollUntil(async () => expect(open.size).toBe(0));
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
  }
});
