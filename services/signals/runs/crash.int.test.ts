// Proves that every signal is stored once and runs every matching set once, with each effect once and in order,
// although the process dies. Real processes are killed with SIGKILL between two lasting effects.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { casesOfRun, eventually } from '@yardarm/testing';
import { expect, it } from 'vitest';
import { runsRig } from '../testing/runs-rig.ts';

const child = fileURLToPath(new URL('../testing/crash-child.ts', import.meta.url));
const test = runsRig();

it.each(
  casesOfRun(3, [
    ['after it stored signals and before it acknowledged them', 'stored', 0],
    ['after it took signals', 'taken', 0],
    ['after it called a step and before it stored the outcome', 'called', 0],
    ['before it took signals', 'read', 0],
    ['after it started a step and before it called it', 'started', 0],
    ['after it started a later step and before it called it', 'started', 3],
    ['after it called a later step and before it stored the outcome', 'called', 5],
  ]),
)('a process that dies %s', async (_, point, times) => {
  const { rig } = test;
  const setId = await rig.createSet({ flags: ['{{payload.n}}', '{{payload.n}}-next'] });
  const process = spawn(globalThis.process.execPath, [child, point, String(times)], {
    env: { ...rig.environment, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(process, 'exit');
  await Promise.race([once(process.stdout, 'data'), ended]);
  const ids: number[] = [];
  for (let n = 1; n <= 5; n += 1) ids.push(await rig.send({ n }));
  const [, signal] = await ended;
  expect(signal).toBe('SIGKILL');
  const states = (await rig.runs()).flatMap(({ steps }) => steps);
  if (point === 'started' || point === 'called') expect(states.filter((state) => state === 'started')).toHaveLength(1);

  await test.database.expireLeases('signals');
  await rig.start();
  await eventually(async () => {
    const runs = await rig.runs();
    expect(runs.map(({ signalId, state }) => [signalId, state])).toEqual(ids.map((id) => [id, 'success']));
  });
  expect(await rig.storedIds()).toEqual(ids);
  expect(rig.switched).toEqual([1, 2, 3, 4, 5].flatMap((n) => [`${n}`, `${n}-next`]));
  expect(await rig.listed(setId)).toHaveLength(5);
  // Only the step of the crash was called twice, with one id.
  expect(rig.called.length).toBe(point === 'called' ? 11 : 10);
});
