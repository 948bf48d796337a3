import type { Actor } from '@yardarm/shared/contracts';
import { expect, test } from 'vitest';
import { callerOf, makePageTurns } from './page-turns.ts';

const actor = (kind: Actor['kind'], id: number, username: string): Actor => ({ kind, id, username, grants: [] });

test('users, service accounts and admin tokens are callers of their own', () => {
  const actors = [
    actor('user', 1, 'ann'),
    actor('user', 2, 'ben'),
    actor('service-account', 1, 'ann'),
    actor('admin-token', -42, 'ann'),
    actor('admin-token', -42, 'ci'),
  ];
  expect(new Set(actors.map((one) => callerOf({ actor: one }))).size).toBe(actors.length);
});

test('a page of another caller is read after one page of the caller that asks for many', async () => {
  const turn = makePageTurns().of(1_000);
  const read: string[] = [];
  const page = (key: string) =>
    turn.run({ deadline: Number.POSITIVE_INFINITY, key }, async () => {
      read.push(key);
    });
  await Promise.all([...Array.from({ length: 15 }, () => page('many')), page('other')]);
  expect(read.indexOf('other')).toBe(2);
});
