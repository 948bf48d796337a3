import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TimeSlicer } from './time-slicer.ts';

const forever = { deadline: Number.POSITIVE_INFINITY };

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('works take turns, and other work runs between two slices', async () => {
  // The slice that another test may have begun is over.
  busy(3);
  const log: string[] = [];
  const work = async (name: string) => {
    const slicer = new TimeSlicer(forever);
    for (let slice = 0; slice < 4; slice += 1) {
      await slicer.next();
      log.push(name);
      busy(3);
    }
  };
  let isOver = false;
  const others = async () => {
    while (!isOver) {
      log.push('other');
      await yieldToEventLoop();
    }
  };
  const watching = others();
  await Promise.all(['a', 'b', 'c'].map(work));
  isOver = true;
  await watching;
  expect(log.filter((name) => name !== 'other').join('')).toBe('abc'.repeat(4));
  for (const [index, name] of log.entries()) {
    if (name !== 'other' && index > 0) expect(log[index - 1]).toBe('other');
  }
});

test('a work that ends or waits within its slice keeps no other one waiting', async () => {
  const short = new TimeSlicer(forever).map([1, 2], (item) => item * 2);
  const endless = new TimeSlicer(forever).next().then(() => new Promise(() => {}));
  const long = new TimeSlicer(forever).map([1, 2, 3], (item) => {
    busy(3);
    return item;
  });
  expect(await short).toEqual([2, 4]);
  expect(await long).toEqual([1, 2, 3]);
  void endless;
});

test('after a slice with a long item the process rests as long as the slice took', async () => {
  const slicer = new TimeSlicer(forever);
  await slicer.next();
  busy(30);
  const restsFrom = performance.now();
  await slicer.next();
  // Timers end up to a millisecond early.
  expect(performance.now() - restsFrom).toBeGreaterThanOrEqual(29);
});

test('a work ends at its deadline, and the others go on', async () => {
  const late = new TimeSlicer({ deadline: Date.now() });
  const work = async () => {
    for (;;) await late.next();
  };
  await expect(work()).rejects.toMatchObject({ code: 'timeout' });
  await new TimeSlicer(forever).map([1, 2, 3], () => busy(3));
});
