import { expect, test } from 'vitest';
import { makePageTurns } from './page-turns.ts';

test('a page of another caller is read after one page of the caller that asks for many', async () => {
  const turn = makePageTurns().of(1_000);
  const read: string[] = [];
  const page = (username: string) =>
    turn.run({ deadline: Number.POSITIVE_INFINITY, actor: { kind: 'user', id: 1, username, grants: [] } }, async () => {
      read.push(username);
    });
  await Promise.all([...Array.from({ length: 15 }, () => page('many')), page('other')]);
  expect(read.indexOf('other')).toBe(2);
});
