import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

const refusal = 'Others took all of the time.';
const caller = { deadline: Number.POSITIVE_INFINITY };

function openWork() {
  const work = Promise.withResolvers<void>();
  const log: string[] = [];
  const run = (name: string) => () => {
    log.push(name);
    return work.promise;
  };
  return { ...work, log, run };
}

it('as many works as allowed run at once, the others in the order of the calls', async () => {
  const inTurn = createTurns(2, refusal);
  const { log, run, resolve } = openWork();
  const works = ['a', 'b', 'c', 'd'].map((name) => inTurn(caller, run(name)));
  await Promise.resolve();
  expect(log).toEqual(['a', 'b']);
  resolve();
  await Promise.all(works);
  expect(log).toEqual(['a', 'b', 'c', 'd']);
});

it('a work that fails passes its turn on', async () => {
  const inTurn = createTurns(1, refusal);
  const failing = inTurn(caller, () => Promise.reject(new Error('failed')));
  const next = inTurn(caller, async () => 'done');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('done');
  expect(await inTurn(caller, async () => 'later')).toBe('later');
});

it('a work whose caller no longer waits at its turn is not run', async () => {
  const inTurn = createTurns(1, refusal);
  const { log, run, resolve } = openWork();
  const first = inTurn(caller, run('first'));
  const late = inTurn({ deadline: 0 }, run('late'));
  const last = inTurn(caller, run('last'));
  resolve();
  await expect(late).rejects.toMatchObject({ code: 'unavailable', message: refusal });
  await Promise.all([first, last]);
  expect(log).toEqual(['first', 'last']);
});
