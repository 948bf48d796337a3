import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Rounds } from './rounds.ts';

/** Rounds of texts, which end when they are let, and what each was of. */
function texts({ fails = (_: readonly string[]): Error | null => null } = {}) {
  const taken: string[][] = [];
  const ends: (() => void)[] = [];
  const rounds = new Rounds<string, string>({
    keyOf: (text) => text[0]!,
    isOfOneItem: (error) => (error as Error).message !== 'outage',
    async run(items) {
      taken.push([...items]);
      await new Promise<void>((resolve) => ends.push(resolve));
      const error = fails(items);
      if (error) throw error;
      return items.map((item) => () => `done ${item}`);
    },
  });
  const endAll = async () => {
    for (await nextTurn(); ends.length > 0; await nextTurn()) ends.shift()!();
  };
  return { rounds, taken, endAll };
}

test('what comes while a round is under way shares the next, one of each key, in the order of asking', async () => {
  const { rounds, taken, endAll } = texts();
  const asked = ['a1', 'b1', 'c1', 'b2', 'd1', 'c2', 'b3'].map((text) => rounds.ask(text));
  await endAll();
  expect(taken).toEqual([['a1'], ['b1', 'c1', 'd1'], ['b2', 'c2'], ['b3']]);
  expect(await Promise.all(asked)).toEqual(['a1', 'b1', 'c1', 'b2', 'd1', 'c2', 'b3'].map((text) => `done ${text}`));
});

test('a round that one item spoils is done again one by one', async () => {
  const { rounds, taken, endAll } = texts({ fails: (items) => (items.includes('c1') ? new Error('c1 is bad') : null) });
  const asked = Promise.allSettled(['a1', 'b1', 'c1', 'd1'].map((text) => rounds.ask(text)));
  await endAll();
  expect(taken).toEqual([['a1'], ['b1', 'c1', 'd1'], ['b1'], ['c1'], ['d1']]);
  expect((await asked).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

test('a round that failed for no fault of its items fails for all of them, and the next goes on', async () => {
  let isAway = true;
  const { rounds, taken, endAll } = texts({ fails: () => (isAway ? new Error('outage') : null) });
  const asked = Promise.allSettled(['a1', 'b1', 'c1'].map((text) => rounds.ask(text)));
  await endAll();
  expect(taken).toEqual([['a1'], ['b1', 'c1']]);
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  isAway = false;
  const after = rounds.ask('d1');
  await endAll();
  expect(await after).toBe('done d1');
});
