import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

it('works of one actor leave places to others, if its number of them is limited', async () => {
  const limit = new ConcurrencyLimit(3, refusal, { maxOfActor: 2 });
  const { log, run, resolve } = openWork();
  const [many, other] = ['many', 'other'].map((name) => ({ ...caller, actor: actor(name) }));
  const works = [1, 2, 3].map((n) => limit.run(many!, run(`many ${n}`)));
  works.push(limit.run(other!, run('other')));
  await Promise.resolve();
  expect(log).toEqual(['many 1', 'many 2', 'other']);
  resolve();
  await Promise.all(works);
  expect(log.at(-1)).toBe('many 3');
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

it('a work can be refused while it waits, and not once it has begun', async () => {
  const limit = new ConcurrencyLimit(1, refusal);
  const { log, run, resolve } = openWork();
  const refuses: (() => void)[] = [];
  const leaving = { ...caller, onWait: (refuse: () => void) => void refuses.push(refuse) };
  const works = ['first', 'left', 'last'].map((name) => limit.run(leaving, run(name)));
  expect(refuses).toHaveLength(2);
  refuses[0]!();
  await expect(works[1]).rejects.toMatchObject({ code: 'unavailable', message: refusal });
  resolve();
  await works[0];
  refuses[1]!();
  await works[2];
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

describe('of a limit with rests', () => {
  const log: string[] = [];

  /** Runs a work of 100 ms. */
  const run = (limit: ConcurrencyLimit, username: string) =>
    limit.run({ ...caller, actor: actor(username) }, async () => {
      log.push(username);
      await new Promise((resolve) => setTimeout(resolve, 100));
    });

  beforeEach(() => {
    vi.useFakeTimers();
    log.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('an actor has one work at a time and rests as long as it took, and other actors take the places', async () => {
    const limit = new ConcurrencyLimit(2, refusal, { restsFromMs: 0 });
    const works = ['ann', 'ann', 'bea', 'cid'].map((username) => run(limit, username));
    await vi.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['ann', 'bea']);
    await vi.advanceTimersByTimeAsync(100);
    expect(log).toEqual(['ann', 'bea', 'cid']);
    await vi.advanceTimersByTimeAsync(99);
    expect(log).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(['ann', 'bea', 'cid', 'ann']);
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(works);
  });

  it('the rests of an actor begin when its works have taken longer than they may', async () => {
    const limit = new ConcurrencyLimit(1, refusal, { restsFromMs: 250 });
    const works = Array.from({ length: 5 }, () => run(limit, 'ann'));
    const begunAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return log.length;
    };
    // The works of 100 ms begin at 0, 100 and 200 ms, and then at 350 and 550 ms: 250 ms before half of the time.
    expect([await begunAfter(0), await begunAfter(100), await begunAfter(100)]).toEqual([1, 2, 3]);
    expect([await begunAfter(149), await begunAfter(1), await begunAfter(199), await begunAfter(1)]).toEqual([
      3, 4, 4, 5,
    ]);
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(works);
    // Long ago.
    await vi.advanceTimersByTimeAsync(10_000);
    const later = [run(limit, 'ann'), run(limit, 'ann')];
    expect(await begunAfter(100)).toBe(7);
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(later);
  });
});
