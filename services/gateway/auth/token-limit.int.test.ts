// The limit of unknown tokens in the gateway's cache, over a real bus with a stand-in for accounts.
import { makeToken } from '@yardarm/shared/auth';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { admin, resolved, sdk, TokensUnderTest } from '../testing/tokens-under-test.ts';

let rig: TokensUnderTest;

beforeEach(async () => {
  rig = await TokensUnderTest.start();
});

afterEach(() => rig.stop());

describe('an address that has sent too many unknown tokens', () => {
  const guess = (address?: string) => rig.find(makeToken('*:development.'), address);

  test('has further ones checked many at a time, and can use known tokens', async () => {
    await rig.find(sdk);
    for (let i = 0; i < 3; i += 1) expect(await guess()).toBeNull();
    const guesses = Array.from({ length: 500 }, () => guess());
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([null]));
    expect(rig.asked).toHaveLength(4);
    expect(rig.checked.map(({ length }) => length)).toEqual([1, 499]);
    expect(await rig.find(sdk)).toMatchObject({ kind: 'client' });
    rig.now += 60_000;
    expect(await rig.find(sdk)).toMatchObject({ kind: 'client' });
  });

  test('can use a token that is new here, behind its guesses, and so can another address', async () => {
    const guesses = Array.from({ length: 500 }, () => guess());
    const found = await Promise.all([rig.find(sdk), rig.find(admin, '10.0.0.2')]);
    expect(found).toMatchObject([{ kind: 'client' }, { kind: 'admin' }]);
    await Promise.all(guesses);
    // Three guesses, and the two tokens.
    expect(rig.asked).toHaveLength(5);
    expect(rig.checked).toHaveLength(2);
  });

  test('has a token checked once that it sends often, until a hint says that it was made', async () => {
    for (let i = 0; i < 3; i += 1) await guess();
    const made = makeToken('*:development.');
    for (let i = 0; i < 20; i += 1) expect(await rig.find(made)).toBeNull();
    expect(rig.checked).toEqual([[made.selector]]);
    rig.stored.set(made.selector, resolved(made));
    rig.accounts.hint(tokenChangedHint, { selector: made.selector });
    await eventually(async () => expect(await rig.find(made)).toMatchObject({ kind: 'client' }));
  });

  test('gets 503 while accounts cannot check a token', async () => {
    for (let i = 0; i < 3; i += 1) await guess();
    await rig.accounts.drain();
    await expect(rig.find(sdk)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('can use a known token that has just been changed, and not one that was revoked', async () => {
    await rig.find(sdk);
    for (let i = 0; i < 3; i += 1) await guess();
    rig.stored.set(sdk.selector, resolved(sdk, { name: 'renamed' }));
    rig.accounts.hint(tokenChangedHint, { selector: sdk.selector });
    await eventually(async () => expect(await rig.find(sdk)).toMatchObject({ name: 'renamed' }));
    rig.stored.delete(sdk.selector);
    rig.accounts.hint(tokenChangedHint, { selector: sdk.selector });
    await eventually(async () => expect(await rig.find(sdk)).toBeNull());
  });

  test('does not affect other addresses', async () => {
    for (let i = 0; i < 3; i += 1) await guess();
    expect(await guess('10.0.0.2')).toBeNull();
    expect(await rig.find(sdk, '10.0.0.2')).toMatchObject({ kind: 'client' });
  });

  test('is counted once for one unknown token that it sends often', async () => {
    const made = makeToken('*:development.');
    for (let i = 0; i < 20; i += 1) expect(await rig.find(made)).toBeNull();
    expect(await rig.find(sdk)).toMatchObject({ kind: 'client' });
  });
});
