import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findListenError, freePort } from './free-port.ts';

test('a free port can be listened on, and is outside the range of outgoing connections', async () => {
  for (let n = 0; n < 20; n += 1) {
    const port = await freePort();
    expect(await findListenError(port, '127.0.0.1')).toBeUndefined();
    expect(port).toBeLessThan(32_768);
  }
});

test('a port is not given again before its server may listen', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, () => freePort()));
  expect(new Set(ports).size).toBe(100);
});

test('a port with a listener is not free, and a foreign address has no free port', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(await findListenError((server.address() as { port: number }).port, '127.0.0.1')).toBe('EADDRINUSE');
  server.close();
  // TEST-NET-1: no machine has it.
  await expect(freePort('192.0.2.1')).rejects.toThrow('EADDRNOTAVAIL');
});
