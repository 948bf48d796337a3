// Proves, with a real bus and Postgres, that the intake reads all of the log, and that replays deliver what is missing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { casesOfRun, compileCache, eventually } from '@yardarm/testing';
import { expect, it } from 'vitest';
import { runningDeliveries } from '../testing/running-deliveries.ts';

const run = runningDeliveries();
const three = [{ featureName: 'a' }, { featureName: 'b' }, { featureName: 'c' }];

async function replay(...args: string[]): Promise<{ code: number; output: string }> {
  const command = fileURLToPath(new URL('../../../scripts/replay.ts', import.meta.url));
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...compileCache, DATABASE_URL: run.databaseUrl() },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, output };
}

it('the intake waits for a log that does not answer, also across a restart', async () => {
  const first = await run.rig.start();
  const endpoint = await run.startEndpoint();
  await run.rig.create({ url: endpoint.url });
  await run.rig.record({});
  await first.processAll();
  run.rig.isUnavailable = true;
  await run.rig.record(...three);
  await eventually(() => expect(run.rig.logged.some((line) => line.includes('cannot read the log'))).toBe(true));
  await run.rig.stop(first);
  expect(endpoint.calls).toHaveLength(1);
  run.rig.isUnavailable = false;
  await (await run.rig.start()).processAll();
  expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2, 3, 4]);
});

it('a lost hint delays events until the poll', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  await run.rig.create({ url: endpoint.url });
  run.rig.hasHints = false;
  await run.rig.record(...three);
  await service.processAll();
  expect(endpoint.calls.map(({ eventId }) => eventId).sort()).toEqual([1, 2, 3]);
});

it('a replay from an id on delivers missing events, and none twice', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  await run.rig.record(...three, ...three);
  await service.processAll();
  // Simulates lost rows: the deliveries of 2 and 5 do not exist.
  await run.rig.db.kysely.deleteFrom('deliveries').where('event_id', 'in', [2, 5]).execute();
  expect(await replay('recorded', 'integrations', '3')).toEqual({
    code: 0,
    output: 'The events 3 to 6 of the log will be delivered again, to each integration that lacks them.\n',
  });
  await service.processAll();
  expect(endpoint.calls.map(({ eventId }) => eventId).slice(6)).toEqual([5]);
  expect(endpoint.calls.at(-1)!.headers['webhook-id']).toBe(`evt_${id}_5`);
  expect(await replay('recorded', 'integrations', '7')).toMatchObject({
    code: 0,
    output: expect.stringContaining('has not reached event 7'),
  });
});

it.each(
  casesOfRun(1, [
    [['recorded', 'integrations', '0']],
    [['recorded', 'flags', '1']],
    [['flags', '2026-01-31']],
    [['outbox', 'x', '2026-01-31']],
  ]),
)('a replay with wrong arguments (%j) prints its usage', async (args) => {
  expect(await replay(...args)).toEqual({ code: 2, output: expect.stringContaining('Usage: npm run replay') });
});
