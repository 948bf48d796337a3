// The gateway's cache of tokens, over a real bus with a stand-in for accounts.
import { makeToken } from '@yardarm/shared/auth';
import { connectBus } from '@yardarm/shared/bus';
import {
  accessChangedHint,
  type ResolvedToken,
  resolveToken,
  tokenChangedHint,
} from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { actorOf, admin, log, resolved, sdk, TokensUnderTest } from '../testing/tokens-under-test.ts';
import { createTokens } from './tokens.ts';
import { createUnknownTokenLimit } from './unknown-token-limit.ts';

let rig: TokensUnderTest;

beforeEach(async () => {
  rig = await TokensUnderTest.start();
});

afterEach(() => rig.stop());

function personal(userId: number): typeof sdk {
  const made = makeToken('user:');
  rig.stored.set(made.selector, resolved(made, { kind: 'personal', environment: null, actor: actorOf(userId) }));
  return made;
}

test('asks once for a token that is used often, and once for concurrent requests', async () => {
  await Promise.all(Array.from({ length: 20 }, () => rig.find(sdk)));
  expect(await rig.find(sdk)).toMatchObject({ kind: 'client' });
  expect(rig.asked).toEqual([sdk.selector]);
});

test('refuses a wrong secret after a right selector without asking again', async () => {
  await rig.find(sdk);
  expect(await rig.find({ ...sdk, hash: admin.hash })).toBeNull();
  expect(rig.asked).toHaveLength(1);
});

test('remembers for some seconds that a token is unknown', async () => {
  const guess = makeToken('*:development.');
  expect(await rig.find(guess)).toBeNull();
  expect(await rig.find(guess)).toBeNull();
  expect(rig.asked).toHaveLength(1);
  rig.stored.set(guess.selector, resolved(guess));
  rig.now += 11_000;
  expect(await rig.find(guess)).toMatchObject({ kind: 'client' });
});

test('a revocation takes effect with its hint', async () => {
  await rig.find(sdk);
  rig.stored.delete(sdk.selector);
  rig.accounts.hint(tokenChangedHint, { selector: sdk.selector });
  await eventually(async () => expect(await rig.find(sdk)).toBeNull());
});

test('a revocation whose hint was lost takes effect within 30 s', async () => {
  await rig.find(sdk);
  rig.stored.delete(sdk.selector);
  rig.now += 30_000;
  expect(await rig.find(sdk)).toBeNull();
});

test('answers an ageing token from memory and asks again in the background', async () => {
  await rig.find(sdk);
  rig.stored.delete(sdk.selector);
  rig.now += 15_000;
  expect(await rig.find(sdk)).toMatchObject({ kind: 'client' });
  await eventually(async () => expect(await rig.find(sdk)).toBeNull());
});

test('refuses a token from the moment it expires', async () => {
  rig.stored.set(sdk.selector, resolved(sdk, { expiresAt: new Date(rig.now + 1_000).toISOString() }));
  expect(await rig.find(sdk)).not.toBeNull();
  rig.now += 1_000;
  expect(await rig.find(sdk)).toBeNull();
});

test('without accounts an SDK token stays valid and an admin token is 503', async () => {
  await rig.find(sdk);
  await rig.find(admin);
  await rig.accounts.drain();
  rig.now += 60_000;
  expect(await rig.find(sdk)).toMatchObject({ kind: 'client' });
  await expect(rig.find(admin)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(rig.find(makeToken('*:development.'))).rejects.toMatchObject({ code: 'unavailable' });
});

test('without accounts an SDK token stays valid for the maximum age and then is 503', async () => {
  rig.tokens = createTokens(
    rig.gateway,
    createUnknownTokenLimit(3, () => rig.now),
    { clock: () => rig.now, maxAgeMs: 3_600_000 },
  );
  await rig.find(sdk);
  await rig.accounts.drain();
  rig.now += 3_599_999;
  expect(await rig.find(sdk)).toMatchObject({ kind: 'client' });
  expect(rig.tokens.confirmed()).toHaveLength(1);
  rig.now += 1;
  await expect(rig.find(sdk)).rejects.toMatchObject({ code: 'unavailable' });
  expect(rig.tokens.confirmed()).toEqual([]);
});

test('names accounts as away until it answers again, also when no SDK reads', async () => {
  expect(rig.tokens.health()).toBeNull();
  rig.beforeAnswer = async () => {
    throw new AppError('unavailable', 'The database is away.');
  };
  await expect(rig.find(sdk)).rejects.toMatchObject({ code: 'unavailable' });
  expect(rig.tokens.health()).toEqual({ degraded: expect.stringContaining('The database is away.') });
  await eventually(() => expect(rig.asked.length).toBeGreaterThan(2));
  expect(rig.tokens.health()).not.toBeNull();
  rig.beforeAnswer = async () => undefined;
  await eventually(() => expect(rig.tokens.health()).toBeNull());
});

test('a refusal does not mean that accounts is away', async () => {
  rig.beforeAnswer = async () => {
    throw new AppError('validation', 'No.');
  };
  await expect(rig.find(sdk)).rejects.toMatchObject({ code: 'validation' });
  expect(rig.tokens.health()).toBeNull();
});

describe('a token of the copy', () => {
  function restart(part: Partial<ResolvedToken> = {}): void {
    const diskCopy = [{ token: resolved(sdk, part), confirmedAt: rig.now }];
    rig.tokens = createTokens(
      rig.gateway,
      createUnknownTokenLimit(3, () => rig.now),
      {
        clock: () => rig.now,
        maxAgeMs: 3_600_000,
        diskCopy,
      },
    );
  }

  test('is valid while accounts is away, until it expires', async () => {
    await rig.accounts.drain();
    restart({ expiresAt: new Date(rig.now + 1_000).toISOString() });
    expect(await rig.find(sdk)).toMatchObject({ kind: 'client' });
    rig.now += 1_000;
    expect(await rig.find(sdk)).toBeNull();
    expect(rig.tokens.confirmed()).toEqual([]);
  });

  test('that was revoked is refused at once when accounts answers, and leaves the copy', async () => {
    rig.stored.delete(sdk.selector);
    restart();
    const { version } = rig.tokens;
    const before = version();
    expect(rig.tokens.find(sdk, { context: rig.context(), address: '10.0.0.1' })).toBeInstanceOf(Promise);
    expect(await rig.find(sdk)).toBeNull();
    expect([rig.tokens.confirmed(), version() === before]).toEqual([[], false]);
  });

  test('is confirmed although nobody uses it, and leaves the copy when accounts refuses it', async () => {
    restart();
    const before = rig.tokens.version();
    await rig.tokens.confirm();
    expect(rig.tokens.confirmed()).toEqual([{ token: resolved(sdk), confirmedAt: rig.now }]);
    expect(rig.tokens.version()).toBe(before);
    await rig.tokens.confirm();
    expect(rig.asked).toEqual([sdk.selector]);
    rig.stored.delete(sdk.selector);
    rig.now += 1;
    await rig.tokens.confirm();
    expect(rig.tokens.confirmed()).toEqual([]);
  });
});

test('a confirmation asks once for a token while the clock of the system is set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    rig.tokens = createTokens(rig.gateway, createUnknownTokenLimit(3));
    await rig.find(sdk);
    vi.setSystemTime(Date.now() + 1_000);
    rig.beforeAnswer = async () => {
      vi.setSystemTime(Date.now() - 3_600_000);
      // Ends a confirmation that asks again and again.
      if (rig.asked.length > 5) rig.stored.delete(sdk.selector);
    };
    await rig.tokens.confirm();
    expect(rig.asked).toEqual([sdk.selector, sdk.selector]);
  } finally {
    vi.useRealTimers();
  }
});

test('with accounts hanging an SDK token waits once, and briefly', async () => {
  await rig.find(sdk);
  await rig.accounts.drain();
  const hanging = await connectBus({ url: inject('natsUrl'), prefix: rig.prefix, log, name: 'accounts' });
  const answer = Promise.withResolvers<{ token: null }>();
  hanging.serve(resolveToken, () => answer.promise);
  await hanging.flush();
  rig.now += 60_000;
  // The deadline of the request itself is later than the end of this test.
  const waiting = { ...rig.context(), deadline: Date.now() + 600_000 };
  for (let asks = 0; asks < 2; asks += 1)
    expect(await rig.tokens.find(sdk, { context: waiting, address: '10.0.0.1' })).toMatchObject({ kind: 'client' });
  answer.resolve({ token: null });
  await hanging.drain();
});

test('asks again for the tokens of a user whose access has changed, and for no others', async () => {
  const [ann, bob] = [personal(7), personal(8)];
  await Promise.all([rig.find(ann), rig.find(bob), rig.find(admin), rig.find(sdk)]);
  const changed = { ...rig.stored.get(ann.selector)!, actor: { ...actorOf(7), grants: [] } };
  rig.stored.set(ann.selector, changed);
  rig.accounts.hint(accessChangedHint, { userId: 7 });
  await eventually(async () => expect((await rig.find(ann))?.actor?.grants).toEqual([]));
  await Promise.all([rig.find(bob), rig.find(admin), rig.find(sdk)]);
  expect(rig.asked.slice(4)).toEqual([ann.selector]);
});

test('asks again, once each, for every token with an actor when access may have changed for any user', async () => {
  const ann = personal(7);
  await Promise.all([rig.find(ann), rig.find(admin), rig.find(sdk)]);
  rig.accounts.hint(accessChangedHint, { userId: null });
  await eventually(async () => {
    await Promise.all(Array.from({ length: 5 }, () => [rig.find(ann), rig.find(admin), rig.find(sdk)]).flat());
    expect(rig.asked.slice(3).sort()).toEqual([ann.selector, admin.selector].sort());
  });
});

test('does not cache an answer that was in flight when the access changed', async () => {
  const [ann, bob] = [personal(7), personal(8)];
  await rig.find(bob);
  const delay = Promise.withResolvers<void>();
  rig.beforeAnswer = async (selector) => {
    if (selector === ann.selector && rig.asked.length === 2) await delay.promise;
  };
  const early = rig.find(ann);
  await eventually(() => expect(rig.asked).toEqual([bob.selector, ann.selector]));
  rig.stored.set(ann.selector, { ...rig.stored.get(ann.selector)!, actor: { ...actorOf(7), grants: [] } });
  // Hints arrive in order: when the second takes effect, the first has arrived.
  rig.accounts.hint(accessChangedHint, { userId: 7 });
  rig.accounts.hint(accessChangedHint, { userId: 8 });
  await eventually(async () => {
    await rig.find(bob);
    expect(rig.asked).toHaveLength(3);
  });
  expect((await rig.find(ann))?.actor?.grants).toEqual([]);
  delay.resolve();
  expect((await early)?.actor?.grants).toEqual([{ permissions: ['ADMIN'] }]);
  expect((await rig.find(ann))?.actor?.grants).toEqual([]);
});

test('after a change of access a token is not answered from memory while accounts is unavailable', async () => {
  const ann = personal(7);
  await rig.find(ann);
  rig.accounts.hint(accessChangedHint, { userId: 7 });
  await rig.accounts.drain();
  await eventually(() => expect(rig.find(ann)).rejects.toMatchObject({ code: 'unavailable' }));
});

test('a token that accounts cannot look up yet is 503 and not remembered as unknown', async () => {
  const guess = makeToken('*:development.');
  rig.beforeAnswer = () => Promise.reject(new AppError('unavailable', 'The tokens of the settings are not made yet.'));
  await expect(rig.find(guess)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  rig.stored.set(guess.selector, resolved(guess));
  rig.beforeAnswer = async () => undefined;
  expect(await rig.find(guess)).toMatchObject({ kind: 'client' });
});
