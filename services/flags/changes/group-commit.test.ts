import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { GroupCommit, type GroupResult, type LockedRows } from './group-commit.ts';

/** A group commit of texts that lists the transactions it began. The test ends each transaction. */
function groupsOfTexts({
  fails = (_: readonly string[]): Error | null => null,
  isLocked = (_: string): boolean => false,
} = {}) {
  const begun: string[] = [];
  const ends: { name: string; end(): void }[] = [];
  const deadlines = new Map<string, number>();
  const group = new GroupCommit<string, string>({
    keyOf: (text) => text[0]!,
    // A capital letter is another kind.
    kindOf: (text) => (/[A-Z]/.test(text) ? 'capital' : 'small'),
    deadlineOf: (text) => deadlines.get(text) ?? Number.POSITIVE_INFINITY,
    isCausedByItem: (error) => (error as Error).message !== 'outage',
    async commit(items, lockedRows: LockedRows) {
      const name = [...items, ...(lockedRows === 'wait' ? ['waits'] : [])].join(' ');
      begun.push(name);
      await new Promise<void>((end) => ends.push({ name, end }));
      const error = fails(items);
      if (error) throw error;
      return items.map(
        (item): GroupResult<string> =>
          lockedRows === 'skip' && isLocked(item)
            ? { status: 'locked' }
            : { status: 'updated', answer: `done ${item}` },
      );
    },
  });
  const submit = (...texts: string[]) => Promise.allSettled(texts.map((text) => group.submit(text)));
  /** Ends all transactions whose name passes, and those that begin in consequence. */
  const end = async (passes = (_: string) => true) => {
    for (await nextTick(); ; await nextTick()) {
      const index = ends.findIndex(({ name }) => passes(name));
      if (index < 0) return;
      ends.splice(index, 1)[0]!.end();
    }
  };
  return { submit, begun, deadlines, end, stop: () => group.stop() };
}

const isSkipping = (name: string) => !name.endsWith('waits');

test('requests that arrive while a group runs share the next, one of each key, in the order of arrival', async () => {
  const { submit, begun, end } = groupsOfTexts();
  const texts = ['a1', 'b1', 'c1', 'b2', 'd1', 'c2', 'b3'];
  const submitted = submit(...texts);
  await end();
  expect(begun).toEqual(['a1', 'b1 c1 d1', 'b2 c2', 'b3']);
  expect(await submitted).toEqual(texts.map((text) => ({ status: 'fulfilled', value: `done ${text}` })));
});

test('a group has one kind, that of the first request in memory', async () => {
  const { submit, begun, end } = groupsOfTexts();
  const submitted = submit('a1', 'b1', 'cX', 'd1', 'b2', 'eX', 'c1');
  await end();
  expect(begun).toEqual(['a1', 'b1 d1', 'cX eX', 'b2 c1']);
  expect((await submitted).every(({ status }) => status === 'fulfilled')).toBe(true);
});

test('after an error that one request caused, each request of the group runs alone, and other groups continue', async () => {
  const { submit, begun, end } = groupsOfTexts({
    fails: (items) => (items.includes('c1') ? new Error('c1 is bad') : null),
  });
  const submitted = submit('a1', 'b1', 'c1', 'd1');
  await end(isSkipping);
  const other = submit('e1');
  await end(isSkipping);
  await other;
  expect(begun).toEqual(['a1', 'b1 c1 d1', 'b1 waits', 'c1 waits', 'd1 waits', 'e1']);
  await end();
  expect((await submitted).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

test('after an outage all requests of the group fail, and the next group runs', async () => {
  let isAway = true;
  const { submit, begun, end } = groupsOfTexts({ fails: () => (isAway ? new Error('outage') : null) });
  const submitted = submit('a1', 'b1', 'c1');
  await end();
  expect(begun).toEqual(['a1', 'b1 c1']);
  expect((await submitted).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  isAway = false;
  const after = submit('d1');
  await end();
  expect(await after).toEqual([{ status: 'fulfilled', value: 'done d1' }]);
});

test('a locked key waits alone, its later requests stay in memory in order, and other keys continue', async () => {
  const { submit, begun, end } = groupsOfTexts({ isLocked: (text) => text === 'a1' });
  const locked = submit('a1', 'a2', 'a3');
  await end(isSkipping);
  const others = submit('b1', 'b2');
  await end(isSkipping);
  await others;
  expect(begun).toEqual(['a1', 'a1 waits', 'b1', 'b2']);
  await end();
  expect(begun.slice(4)).toEqual(['a2', 'a3']);
  expect((await locked).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
});

test('three of five locked keys wait, and the next waits as soon as one of them has ended', async () => {
  const { submit, begun, end } = groupsOfTexts({ isLocked: () => true });
  const submitted = submit('a1', 'b1', 'c1', 'd1', 'e1');
  await end(isSkipping);
  expect(begun.filter((name) => !isSkipping(name))).toEqual(['a1 waits', 'b1 waits', 'c1 waits']);
  await end((name) => name === 'b1 waits');
  expect(begun.at(-1)).toBe('d1 waits');
  await end();
  expect((await submitted).every(({ status }) => status === 'fulfilled')).toBe(true);
});

test('a queued or blocked request whose deadline has passed is refused before its next transaction', async () => {
  const { submit, begun, deadlines, end } = groupsOfTexts({ isLocked: (text) => text[0] !== 'z' });
  const locked = submit('a1', 'b1', 'c1', 'd1');
  await end(isSkipping);
  for (const text of ['a2', 'd1']) deadlines.set(text, Date.now() - 1);
  const queued = submit('a2', 'a3', 'z1');
  await end();
  expect(begun).toEqual(['a1', 'a1 waits', 'b1 c1 d1', 'b1 waits', 'c1 waits', 'z1', 'a3', 'a3 waits']);
  const done = { status: 'fulfilled' };
  const refused = { status: 'rejected', reason: { code: 'timeout' } };
  expect(await locked).toMatchObject([done, done, done, refused]);
  expect(await queued).toMatchObject([refused, done, done]);
});

test('a stop refuses the queued and blocked requests at once, and the running transactions end', async () => {
  const { submit, begun, end, stop } = groupsOfTexts({ isLocked: (text) => text[0] !== 'z' });
  const waiting = submit('a1', 'b1', 'c1');
  await end(isSkipping);
  const inMemory = submit('d1', 'a2');
  await end(isSkipping);
  const grouped = submit('z1', 'e1');
  const queued = submit('z2');
  const begunBefore = [...begun];
  stop();
  const refused = { status: 'rejected', reason: { code: 'unavailable', status: 503 } };
  expect(await inMemory).toMatchObject([refused, refused]);
  expect(await queued).toMatchObject([refused]);
  expect(await submit('f1')).toMatchObject([refused]);
  await end();
  const done = { status: 'fulfilled' };
  expect(await waiting).toMatchObject([done, done, done]);
  expect(await grouped).toMatchObject([done, refused]);
  expect(begun).toEqual(begunBefore);
});

test('a request that its group finds locked after a stop is refused', async () => {
  const { submit, begun, end, stop } = groupsOfTexts({ isLocked: () => true });
  const grouped = submit('a1');
  stop();
  await end();
  expect(await grouped).toMatchObject([{ status: 'rejected', reason: { code: 'unavailable' } }]);
  expect(begun).toEqual(['a1']);
});
