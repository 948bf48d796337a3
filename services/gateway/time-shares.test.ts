import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { cpuTimeMs } from '@yardarm/evaluation';
import { describe, expect, it } from 'vitest';
import { inOneSlice, TimeShares } from './time-shares.ts';

const options = { restFromMs: 5, maxWaiting: 200, works: 'evaluations' };

const later = () => Date.now() + 60_000;

/** A work of some slices, each of which takes 6 ms of CPU time. It writes its name with each. */
function* slices(count: number, name: string, written: string[]): Generator<void, string> {
  for (let slice = 1; slice <= count; slice += 1) {
    const until = cpuTimeMs() + 6;
    while (cpuTimeMs() < until);
    written.push(name);
    if (slice < count) yield;
  }
  return name;
}

/** Until the works have ended, writes `other` in each iteration of the event loop. */
async function besideOthers(running: unknown, written: string[]): Promise<void> {
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      await yieldToEventLoop();
      written.push('other');
    }
  })();
  await running;
  isOver = true;
  await others;
}

describe('works that share the time of a process', () => {
  it('end at once within their first slice', () => {
    expect(new TimeShares(options).run('one', later(), slices(1, 'a', []))).toBe('a');
  });

  it('run in turns of their keys, so that many of one key do not delay one of another', async () => {
    const shares = new TimeShares(options);
    const written: string[] = [];
    const many = Array.from({ length: 3 }, () => shares.run('many', later(), slices(4, 'many', written)));
    await shares.run('one', later(), slices(3, 'one', written));
    expect(written.slice(written.indexOf('one'))).toEqual(['one', 'many', 'one', 'many', 'one']);
    await Promise.all(many);
  });

  it('let other work of the process run after each turn', async () => {
    const shares = new TimeShares(options);
    const written: string[] = [];
    const running = shares.run('one', later(), slices(3, 'one', written));
    await besideOthers(running, written);
    expect(written.filter((name) => name === 'one')).toHaveLength(3);
    expect(written.join(' ')).not.toContain('one one');
  });

  it('wait after a first slice that took long, also when it was the last one', async () => {
    const shares = new TimeShares(options);
    const written: string[] = [];
    expect(shares.run('one', later(), slices(1, 'first', written))).toBe('first');
    const second = shares.run('one', later(), slices(1, 'second', written));
    await yieldToEventLoop();
    expect(written).toEqual(['first']);
    await expect(second).resolves.toBe('second');
  });

  it('are refused when too many of their key wait', async () => {
    const shares = new TimeShares({ ...options, maxWaiting: 10 });
    const running = Array.from({ length: 11 }, () => shares.run('one', later(), slices(2, 'one', [])));
    const refused = Promise.allSettled(running);
    await expect(shares.run('two', later(), slices(1, 'two', []))).resolves.toBe('two');
    expect((await refused).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it('run in turns of their keys also when each of them ends within its slice', async () => {
    const shares = new TimeShares({ ...options, restFromMs: 0 });
    const written: string[] = [];
    const many = Array.from({ length: 20 }, () => shares.run('many', later(), slices(1, 'many', written)));
    const one = shares.run('one', later(), slices(1, 'one', written));
    await one;
    // The first one ran at once, and the next turn is of the first key.
    expect(written).toEqual(['many', 'many', 'one']);
    await Promise.all(many);
    expect(written).toHaveLength(21);
  });

  it('are counted with what they do after they have waited for a promise', async () => {
    const shares = new TimeShares({ ...options, restFromMs: 0 });
    const written: string[] = [];
    const begin = async () => {
      await null;
      slices(1, 'one', written).next();
    };
    const running = Array.from({ length: 4 }, () => shares.run('one', later(), inOneSlice(begin)));
    await besideOthers(Promise.all(running), written);
    expect(written.filter((name) => name === 'one')).toHaveLength(4);
    // The first one ran at once, which is not counted.
    expect(written.slice(1).join(' ')).not.toContain('one one');
  });

  it('leave the queue without a slice, and once', async () => {
    const shares = new TimeShares(options);
    const written: string[] = [];
    const works = ['first', 'second', 'third'].map((name) => begin(name));
    function* begin(name: string): Generator<void, void> {
      yield* slices(1, name, written);
    }
    const running = works.map((work) => shares.run('one', later(), work));
    expect(works.map((work) => shares.leave('one', work))).toEqual([false, true, true]);
    expect(works.map((work) => shares.leave('one', work))).toEqual([false, false, false]);
    await expect(Promise.all(running)).resolves.toEqual([undefined, undefined, undefined]);
    await shares.run('one', later(), begin('another'));
    expect(written).toEqual(['first', 'another']);
  });

  it('end with an error when their deadline has passed before their turn, and with their own', async () => {
    const shares = new TimeShares(options);
    const first = shares.run('one', later(), slices(2, 'first', []));
    const late = shares.run('one', Date.now() - 1, slices(1, 'late', []));
    const failing = shares.run(
      'two',
      later(),
      (function* () {
        yield;
        throw new Error('own');
      })(),
    );
    const ends = await Promise.allSettled([first, late, failing]);
    expect(ends).toMatchObject([
      { value: 'first' },
      { reason: { code: 'unavailable' } },
      { reason: { message: 'own' } },
    ]);
  });
});
