// The gateway's cache of tokens, over a real bus with a stand-in for accounts.
import { randomBytes, randomUUID } from 'node:crypto';
import { makeToken } from '@yardarm/shared/auth';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import {
  accessChangedHint,
  findExistingSelectors,
  type ResolvedToken,
  resolveToken,
  tokenChangedHint,
} from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTokens, type Tokens } from './tokens.ts';
import { createUnknownTokenLimit } from './unknown-token-limit.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const sdk = makeToken('*:development.');
const admin = makeToken('*:*.');

function resolved(made: typeof sdk, part: Partial<ResolvedToken> = {}): ResolvedToken {
  return {
    ...{ id: 1, kind: 'client', name: 'sdk', selector: made.selector, hash: made.hash, expiresAt: null },
    ...{ environment: 'development', projects: ['*'], actor: null, mustChangePassword: false },
    ...part,
  } as ResolvedToken;
}

function actorOf(id: number): NonNullable<ResolvedToken['actor']> {
  return { kind: id < 0 ? 'admin-token' : 'user', id, username: `user-${id}`, grants: [{ permissions: ['ADMIN'] }] };
}

function personal(userId: number): typeof sdk {
  const made = makeToken('user:');
  stored.set(made.selector, resolved(made, { kind: 'personal', environment: null, actor: actorOf(userId) }));
  return made;
}

let prefix: string;
let gateway: Bus;
let accounts: Bus;
let stored: Map<string, ResolvedToken>;
let asked: string[];
/** The requests for many selectors. */
let checked: string[][];
/** Runs in accounts between the lookup of a token and the answer. */
let beforeAnswer: (selector: string) => Promise<void>;
let now: number;
let tokens: Tokens;

const context = (): RequestContext => ({
  requestId: randomUUID(),
  actor: null,
  deadline: Date.now() + 2_000,
  traceparent: null,
});
const find = async (made: typeof sdk, address = '10.0.0.1') => tokens.find(made, { context: context(), address });

beforeEach(async () => {
  prefix = `t${randomBytes(6).toString('hex')}`;
  const options = { url: inject('natsUrl'), prefix, log };
  [gateway, accounts] = await Promise.all([
    connectBus({ ...options, name: 'gateway' }),
    connectBus({ ...options, name: 'accounts' }),
  ]);
  stored = new Map([
    [sdk.selector, resolved(sdk)],
    [
      admin.selector,
      resolved(admin, {
        kind: 'admin',
        environment: null,
        actor: actorOf(-42),
      }),
    ],
  ]);
  asked = [];
  checked = [];
  beforeAnswer = async () => undefined;
  accounts.serve(resolveToken, async ({ selector }) => {
    asked.push(selector);
    const token = stored.get(selector) ?? null;
    await beforeAnswer(selector);
    return { token };
  });
  accounts.serve(findExistingSelectors, async ({ selectors }) => {
    checked.push(selectors);
    return { existing: selectors.filter((selector) => stored.has(selector)) };
  });
  now = Date.now();
  tokens = createTokens(gateway, createUnknownTokenLimit(3), { clock: () => now });
  await Promise.all([accounts.flush(), gateway.flush()]);
});

afterEach(async () => {
  tokens.stop();
  await Promise.all([gateway.drain(), accounts.drain()]);
});

test('asks once for a token that is used often, and once for concurrent requests', async () => {
  await Promise.all(Array.from({ length: 20 }, () => find(sdk)));
  expect(await find(sdk)).toMatchObject({ kind: 'client' });
  expect(asked).toEqual([sdk.selector]);
});

test('refuses a wrong secret after a right selector without asking again', async () => {
  await find(sdk);
  expect(await find({ ...sdk, hash: admin.hash })).toBeNull();
  expect(asked).toHaveLength(1);
});

test('remembers for some seconds that a token is unknown', async () => {
  const guess = makeToken('*:development.');
  expect(await find(guess)).toBeNull();
  expect(await find(guess)).toBeNull();
  expect(asked).toHaveLength(1);
  stored.set(guess.selector, resolved(guess));
  now += 11_000;
  expect(await find(guess)).toMatchObject({ kind: 'client' });
});

test('a revocation takes effect with its hint', async () => {
  await find(sdk);
  stored.delete(sdk.selector);
  accounts.hint(tokenChangedHint, { selector: sdk.selector });
  await eventually(async () => expect(await find(sdk)).toBeNull());
});

test('a revocation whose hint was lost takes effect within 30 s', async () => {
  await find(sdk);
  stored.delete(sdk.selector);
  now += 30_000;
  expect(await find(sdk)).toBeNull();
});

test('answers an ageing token from memory and asks again in the background', async () => {
  await find(sdk);
  stored.delete(sdk.selector);
  now += 15_000;
  expect(await find(sdk)).toMatchObject({ kind: 'client' });
  await eventually(async () => expect(await find(sdk)).toBeNull());
});

test('refuses a token from the moment it expires', async () => {
  stored.set(sdk.selector, resolved(sdk, { expiresAt: new Date(now + 1_000).toISOString() }));
  expect(await find(sdk)).not.toBeNull();
  now += 1_000;
  expect(await find(sdk)).toBeNull();
});

test('without accounts an SDK token stays valid and an admin token is 503', async () => {
  await find(sdk);
  await find(admin);
  await accounts.drain();
  now += 60_000;
  expect(await find(sdk)).toMatchObject({ kind: 'client' });
  await expect(find(admin)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(find(makeToken('*:development.'))).rejects.toMatchObject({ code: 'unavailable' });
});

test('without accounts an SDK token stays valid for the maximum age and then is 503', async () => {
  tokens = createTokens(gateway, createUnknownTokenLimit(3), { clock: () => now, maxAgeMs: 3_600_000 });
  await find(sdk);
  await accounts.drain();
  now += 3_599_999;
  expect(await find(sdk)).toMatchObject({ kind: 'client' });
  expect(tokens.confirmed()).toHaveLength(1);
  now += 1;
  await expect(find(sdk)).rejects.toMatchObject({ code: 'unavailable' });
  expect(tokens.confirmed()).toEqual([]);
});

test('names accounts as away until it answers again, also when no SDK reads', async () => {
  expect(tokens.health()).toBeNull();
  beforeAnswer = async () => {
    throw new AppError('unavailable', 'The database is away.');
  };
  await expect(find(sdk)).rejects.toMatchObject({ code: 'unavailable' });
  expect(tokens.health()).toEqual({ degraded: expect.stringContaining('The database is away.') });
  await eventually(() => expect(asked.length).toBeGreaterThan(2));
  expect(tokens.health()).not.toBeNull();
  beforeAnswer = async () => undefined;
  await eventually(() => expect(tokens.health()).toBeNull());
});

test('a refusal does not mean that accounts is away', async () => {
  beforeAnswer = async () => {
    throw new AppError('validation', 'No.');
  };
  await expect(find(sdk)).rejects.toMatchObject({ code: 'validation' });
  expect(tokens.health()).toBeNull();
});

describe('a token of the copy', () => {
  function restart(part: Partial<ResolvedToken> = {}): void {
    const diskCopy = [{ token: resolved(sdk, part), confirmedAt: now }];
    tokens = createTokens(gateway, createUnknownTokenLimit(3), { clock: () => now, maxAgeMs: 3_600_000, diskCopy });
  }

  test('is valid while accounts is away, until it expires', async () => {
    await accounts.drain();
    restart({ expiresAt: new Date(now + 1_000).toISOString() });
    expect(await find(sdk)).toMatchObject({ kind: 'client' });
    now += 1_000;
    expect(await find(sdk)).toBeNull();
    expect(tokens.confirmed()).toEqual([]);
  });

  test('that was revoked is refused at once when accounts answers, and leaves the copy', async () => {
    stored.delete(sdk.selector);
    restart();
    const { version } = tokens;
    const before = version();
    expect(tokens.find(sdk, { context: context(), address: '10.0.0.1' })).toBeInstanceOf(Promise);
    expect(await find(sdk)).toBeNull();
    expect([tokens.confirmed(), version() === before]).toEqual([[], false]);
  });

  test('is confirmed although nobody uses it, and leaves the copy when accounts refuses it', async () => {
    restart();
    const before = tokens.version();
    await tokens.confirm();
    expect(tokens.confirmed()).toEqual([{ token: resolved(sdk), confirmedAt: now }]);
    expect(tokens.version()).toBe(before);
    await tokens.confirm();
    expect(asked).toEqual([sdk.selector]);
    stored.delete(sdk.selector);
    now += 1;
    await tokens.confirm();
    expect(tokens.confirmed()).toEqual([]);
  });
});

test('with accounts hanging an SDK token waits once, and briefly', async () => {
  await find(sdk);
  await accounts.drain();
  const hanging = await connectBus({ url: inject('natsUrl'), prefix, log, name: 'accounts' });
  const answer = Promise.withResolvers<{ token: null }>();
  hanging.serve(resolveToken, () => answer.promise);
  await hanging.flush();
  now += 60_000;
  // The deadline of the request itself is later than the end of this test.
  const waiting = { ...context(), deadline: Date.now() + 600_000 };
  for (let asks = 0; asks < 2; asks += 1)
    expect(await tokens.find(sdk, { context: waiting, address: '10.0.0.1' })).toMatchObject({ kind: 'client' });
  answer.resolve({ token: null });
  await hanging.drain();
});

test('asks again for the tokens of a user whose access has changed, and for no others', async () => {
  const [ann, bob] = [personal(7), personal(8)];
  await Promise.all([find(ann), find(bob), find(admin), find(sdk)]);
  const changed = { ...stored.get(ann.selector)!, actor: { ...actorOf(7), grants: [] } };
  stored.set(ann.selector, changed);
  accounts.hint(accessChangedHint, { userId: 7 });
  await eventually(async () => expect((await find(ann))?.actor?.grants).toEqual([]));
  await Promise.all([find(bob), find(admin), find(sdk)]);
  expect(asked.slice(4)).toEqual([ann.selector]);
});

test('asks again, once each, for every token with an actor when access may have changed for any user', async () => {
  const ann = personal(7);
  await Promise.all([find(ann), find(admin), find(sdk)]);
  accounts.hint(accessChangedHint, { userId: null });
  await eventually(async () => {
    await Promise.all(Array.from({ length: 5 }, () => [find(ann), find(admin), find(sdk)]).flat());
    expect(asked.slice(3).sort()).toEqual([ann.selector, admin.selector].sort());
  });
});

test('does not cache an answer that was in flight when the access changed', async () => {
  const [ann, bob] = [personal(7), personal(8)];
  await find(bob);
  const delay = Promise.withResolvers<void>();
  beforeAnswer = async (selector) => {
    if (selector === ann.selector && asked.length === 2) await delay.promise;
  };
  const early = find(ann);
  await eventually(() => expect(asked).toEqual([bob.selector, ann.selector]));
  stored.set(ann.selector, { ...stored.get(ann.selector)!, actor: { ...actorOf(7), grants: [] } });
  // Hints arrive in order: when the second takes effect, the first has arrived.
  accounts.hint(accessChangedHint, { userId: 7 });
  accounts.hint(accessChangedHint, { userId: 8 });
  await eventually(async () => {
    await find(bob);
    expect(asked).toHaveLength(3);
  });
  expect((await find(ann))?.actor?.grants).toEqual([]);
  delay.resolve();
  expect((await early)?.actor?.grants).toEqual([{ permissions: ['ADMIN'] }]);
  expect((await find(ann))?.actor?.grants).toEqual([]);
});

test('after a change of access a token is not answered from memory while accounts is unavailable', async () => {
  const ann = personal(7);
  await find(ann);
  accounts.hint(accessChangedHint, { userId: 7 });
  await accounts.drain();
  await eventually(() => expect(find(ann)).rejects.toMatchObject({ code: 'unavailable' }));
});

test('a token that accounts cannot look up yet is 503 and not remembered as unknown', async () => {
  const guess = makeToken('*:development.');
  beforeAnswer = () => Promise.reject(new AppError('unavailable', 'The tokens of the settings are not made yet.'));
  await expect(find(guess)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  stored.set(guess.selector, resolved(guess));
  beforeAnswer = async () => undefined;
  expect(await find(guess)).toMatchObject({ kind: 'client' });
});

describe('an address that has sent too many unknown tokens', () => {
  const guess = (address?: string) => find(makeToken('*:development.'), address);

  test('has further ones checked many at a time, and can use known tokens', async () => {
    await find(sdk);
    for (let i = 0; i < 3; i += 1) expect(await guess()).toBeNull();
    const guesses = Array.from({ length: 500 }, () => guess());
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([null]));
    expect(asked).toHaveLength(4);
    expect(checked.map(({ length }) => length)).toEqual([1, 499]);
    expect(await find(sdk)).toMatchObject({ kind: 'client' });
    now += 60_000;
    expect(await find(sdk)).toMatchObject({ kind: 'client' });
  });

  test('can use a token that is new here, behind its guesses, and so can another address', async () => {
    const guesses = Array.from({ length: 500 }, () => guess());
    const found = await Promise.all([find(sdk), find(admin, '10.0.0.2')]);
    expect(found).toMatchObject([{ kind: 'client' }, { kind: 'admin' }]);
    await Promise.all(guesses);
    // Three guesses, and the two tokens.
    expect(asked).toHaveLength(5);
    expect(checked).toHaveLength(2);
  });

  test('has a token checked once that it sends often, until a hint says that it was made', async () => {
    for (let i = 0; i < 3; i += 1) await guess();
    const made = makeToken('*:development.');
    for (let i = 0; i < 20; i += 1) expect(await find(made)).toBeNull();
    expect(checked).toEqual([[made.selector]]);
    stored.set(made.selector, resolved(made));
    accounts.hint(tokenChangedHint, { selector: made.selector });
    await eventually(async () => expect(await find(made)).toMatchObject({ kind: 'client' }));
  });

  test('gets 503 while accounts cannot check a token', async () => {
    for (let i = 0; i < 3; i += 1) await guess();
    await accounts.drain();
    await expect(find(sdk)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('can use a known token that has just been changed, and not one that was revoked', async () => {
    await find(sdk);
    for (let i = 0; i < 3; i += 1) await guess();
    stored.set(sdk.selector, resolved(sdk, { name: 'renamed' }));
    accounts.hint(tokenChangedHint, { selector: sdk.selector });
    await eventually(async () => expect(await find(sdk)).toMatchObject({ name: 'renamed' }));
    stored.delete(sdk.selector);
    accounts.hint(tokenChangedHint, { selector: sdk.selector });
    await eventually(async () => expect(await find(sdk)).toBeNull());
  });

  test('does not affect other addresses', async () => {
    for (let i = 0; i < 3; i += 1) await guess();
    expect(await guess('10.0.0.2')).toBeNull();
    expect(await find(sdk, '10.0.0.2')).toMatchObject({ kind: 'client' });
  });

  test('is counted once for one unknown token that it sends often', async () => {
    const made = makeToken('*:development.');
    for (let i = 0; i < 20; i += 1) expect(await find(made)).toBeNull();
    expect(await find(sdk)).toMatchObject({ kind: 'client' });
  });
});
