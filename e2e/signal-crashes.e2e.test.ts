// A gateway that dies between an admission, the claim of its key, the publish, its acknowledgement and the answer. The
// sender sends again, as after any broken connection.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestSystem } from '@yardarm/testing';
import { casesOfRun, compileCache } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const child = fileURLToPath(new URL('../services/gateway/testing/crash-child.ts', import.meta.url));

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem({ UNLEASH_SIGNAL_ENDPOINTS_LIMIT: '20' });
});
afterAll(() => system?.stop());

async function makeSender(name: string, ratePerSecond: number) {
  const { body } = await system.call('POST', '/api/admin/signal-endpoints', { body: { name, ratePerSecond } });
  const tokens = `/api/admin/signal-endpoints/${body.id}/tokens`;
  const token = `Bearer ${(await system.call('POST', tokens, { body: { name: 'sender' } })).body.token}`;
  const send = (url: string, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    return system.call('POST', `/api/signal-endpoint/${name}`, { url, token, headers, body: { name } });
  };
  const stored = async () => {
    await system.processAll();
    const rows = await system.database.rows<{ id: string; created_at: Date }>(
      'select id, created_at from signals.signals where endpoint_id = $1 order by id',
      [body.id],
    );
    return rows.map(({ id, created_at }) => ({ id: Number(id), createdAt: created_at.toISOString() }));
  };
  return { send, stored };
}

/** Starts a gateway that dies at the point. Resolves when it is ready. */
async function startDying(point: string) {
  const gateway = spawn(process.execPath, [child, point], {
    env: {
      ...{ NATS_URL: system.natsUrlOf('gateway'), YARDARM_PREFIX: system.prefix, LOG_LEVEL: 'error' },
      ...{ HOST: '127.0.0.1', PORT: '0', GATEWAY_ROUTE_GROUPS: 'signals', ...compileCache },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(gateway, 'exit');
  const [port] = await once(createInterface(gateway.stdout), 'line');
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(async () => (await fetch(`${url}/ready`)).status).toBe(200);
  return { url, exited };
}

test.each(
  casesOfRun(2, [
    ['claimed', 100],
    ['published', 1],
    ['admitted', 1],
    ['admitted', 100],
    ['claimed', 1],
    ['confirmed', 100],
  ]),
)('a signal with a key whose gateway dies when it is %s, at %i a second, is stored once', async (point, rate) => {
  const sender = await makeSender(`key-${point}-${rate}`, rate);
  const { url, exited } = await startDying(point);
  await expect(sender.send(url, 'one')).rejects.toThrow();
  expect((await exited)[1]).toBe('SIGKILL');
  const before = await sender.stored();
  expect(before).toHaveLength(point === 'published' || point === 'confirmed' ? 1 : 0);
  const repeat = () => sender.send(system.url, 'one');
  // The admission that the gateway had counts for a second. A key that was claimed needs none.
  if (point === 'admitted') await expect.poll(async () => (await repeat()).status).toBe(200);
  const again = await repeat();
  const [signal, ...more] = await sender.stored();
  expect(again.body.signals).toMatchObject([signal]);
  expect(more).toEqual([]);
  if (before.length > 0) expect([signal]).toEqual(before);
});

test.each(
  casesOfRun(1, [
    ['admitted', 0],
    ['published', 1],
  ]),
)(
  'a signal without a key whose gateway dies when it is %s is not answered, and stored %i times',
  async (point, count) => {
    const sender = await makeSender(`no-key-${point}`, 100);
    const { url, exited } = await startDying(point);
    await expect(sender.send(url)).rejects.toThrow();
    await exited;
    const before = await sender.stored();
    expect(before).toHaveLength(count);
    // The next one has an admission and an id of its own.
    const { body } = await sender.send(system.url);
    const after = await sender.stored();
    expect(after).toHaveLength(count + 1);
    expect(after.map(({ id }) => id)).toContain(body.signals[0].id);
  },
);
