import { expect, it, vi } from 'vitest';
import type { Actor } from '../contracts/actor.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';

const refusal = 'Others took all of the time.';
const caller = { deadline: Number.POSITIVE_INFINITY };

const actor = (username: string, kind: Actor['kind'] = 'admin-token', id = -42): Actor => ({
  ...{ kind, id, username, grants: [] },
});

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
  const limit = new ConcurrencyLimit(2, refusal);
  const { log, run, resolve } = openWork();
  const works = ['a', 'b', 'c', 'd'].map((name) => limit.run(caller, run(name)));
  await Promise.resolve();
  expect(log).toEqual(['a', 'b']);
  resolve();
  await Promise.all(works);
  expect(log).toEqual(['a', 'b', 'c', 'd']);
});

it('a work that fails passes its turn on', async () => {
  const limit = new ConcurrencyLimit(1, refusal);
  const failing = limit.run(caller, () => Promise.reject(new Error('failed')));
  const next = limit.run(caller, async () => 'done');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('done');
  expect(await limit.run(caller, async () => 'later')).toBe('later');
});

it('a work whose turn does not come before its deadline is refused, also while another one runs', async () => {
  const limit = new ConcurrencyLimit(1, refusal);
  const { log, run, resolve } = openWork();
  const first = limit.run(caller, run('first'));
  const late = limit.run({ deadline: Date.now() + 260 }, run('late'));
  const last = limit.run(caller, run('last'));
  await expect(late).rejects.toMatchObject({ code: 'unavailable', message: refusal });
  expect(log).toEqual(['first']);
  resolve();
  await Promise.all([first, last]);
  expect(log).toEqual(['first', 'last']);
});

it('a work that would begin too late to end before its deadline is refused, and one that need not wait is run', async () => {
  const limit = new ConcurrencyLimit(1, refusal, { takesMs: 60_000 });
  const { log, run, resolve } = openWork();
  const first = limit.run({ deadline: Date.now() + 30_000 }, run('first'));
  await expect(limit.run({ deadline: Date.now() + 60_260 }, run('late'))).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(log).toEqual(['first']);
  resolve();
  await first;
});

it('a stop refuses the works that wait and those that come later, and the running ones end', async () => {
  const limit = new ConcurrencyLimit(1, refusal);
  const { log, run, resolve } = openWork();
  const running = limit.run(caller, run('running'));
  const waiting = limit.run(caller, run('waiting'));
  limit.stop();
  const stopped = { code: 'unavailable', message: expect.stringContaining('stopping') };
  await expect(waiting).rejects.toMatchObject(stopped);
  await expect(limit.run(caller, run('later'))).rejects.toMatchObject(stopped);
  resolve();
  await running;
  await expect(limit.run(caller, run('after the running'))).rejects.toMatchObject(stopped);
  expect(log).toEqual(['running']);
});

it('the actors take turns, so one with many works delays another one by one of them', async () => {
  const limit = new ConcurrencyLimit(1, refusal);
  const { log, run, resolve } = openWork();
  const calls = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'];
  const works = calls.map((name) => limit.run({ ...caller, actor: actor(name[0]!) }, run(name)));
  resolve();
  await Promise.all(works);
  expect(log).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

it('a work beyond the number of those that may wait is refused at once', async () => {
  const limit = new ConcurrencyLimit(1, refusal, { maxWaiting: 1 });
  const { log, run, resolve } = openWork();
  const works = ['runs', 'waits'].map((name) => limit.run(caller, run(name)));
  await expect(limit.run(caller, run('late'))).rejects.toMatchObject({ code: 'unavailable', message: refusal });
  resolve();
  await Promise.all(works);
  await limit.run(caller, run('later'));
  expect(log).toEqual(['runs', 'waits', 'later']);
});

it('users, service accounts and admin tokens are actors of their own', async () => {
  const limit = new ConcurrencyLimit(1, refusal);
  const { log, run, resolve } = openWork();
  const others = [actor('ann', 'user', 1), actor('ben', 'user', 2), actor('ann', 'service-account', 1), actor('ci')];
  const many = Array.from({ length: 3 }, () => limit.run({ ...caller, actor: actor('ann') }, run('many')));
  const works = others.map((each, index) => limit.run({ ...caller, actor: each }, run(String(index))));
  resolve();
  await Promise.all([...many, ...works]);
  expect(log).toEqual(['many', 'many', '0', '1', '2', '3', 'many']);
});

it('a work that is refused leaves the turn to the next one of its actor', async () => {
  const limit = new ConcurrencyLimit(1, refusal);
  const { log, run, resolve } = openWork();
  const first = limit.run(caller, run('first'));
  const late = limit.run({ deadline: Date.now() + 260, actor: actor('a') }, run('late'));
  const next = limit.run({ ...caller, actor: actor('a') }, run('next'));
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  resolve();
  await Promise.all([first, next]);
  expect(log).toEqual(['first', 'next']);
});

it('a place rests as long as its work took, and another actor takes it at once', async () => {
  vi.useFakeTimers();
  try {
    const limit = new ConcurrencyLimit(1, refusal, { hasRests: true });
    const log: string[] = [];
    const run = (username: string) =>
      limit.run({ ...caller, actor: actor(username) }, async () => {
        log.push(username);
        await new Promise((resolve) => setTimeout(resolve, 100));
      });
    const works = [run('ann'), run('ann'), run('bea')];
    await vi.advanceTimersByTimeAsync(100);
    // Bea's work has the place although Ann's came first.
    expect(log).toEqual(['ann', 'bea']);
    await vi.advanceTimersByTimeAsync(100);
    expect(log).toEqual(['ann', 'bea', 'ann']);
    works.push(run('ann'));
    await vi.advanceTimersByTimeAsync(199);
    expect(log).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(['ann', 'bea', 'ann', 'ann']);
    await vi.advanceTimersByTimeAsync(150);
    // Ann's place rests.
    works.push(run('ann'), run('cid'));
    await vi.advanceTimersByTimeAsync(0);
    expect(log.at(-1)).toBe('cid');
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(works);
    expect(log).toHaveLength(6);
  } finally {
    vi.useRealTimers();
  }
});
