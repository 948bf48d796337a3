// Tests the lookup of tokens and the report of their use over a real bus and Postgres.
import { makeToken } from '@yardarm/shared/auth';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccountsRig, race, startAccountsRig } from '../testing/accounts-rig.ts';

let rig: AccountsRig;
let id: number;

beforeAll(async () => {
  rig = await startAccountsRig();
});

afterAll(() => rig?.stop());

describe('resolving', () => {
  it.each([makeToken('user:').selector, 'x', '', "' or 1=1 --"])('finds nothing by selector %j', async (selector) => {
    expect(await rig.ask(contracts.resolveToken, { selector }, null)).toEqual({ token: null });
  });
});

describe('finding those of many selectors that exist', () => {
  const find = async (...selectors: string[]) =>
    (await rig.ask(contracts.findExistingSelectors, { selectors }, null)).existing.toSorted();

  it('finds tokens, also of deleted environments, and no others', async () => {
    await rig.rows('delete from accounts.tokens');
    await rig.rows(
      `insert into accounts.tokens (kind, name, selector, hash, projects, environment)
       select 'client', 's-' || n, 'selector-' || n, 'h', '{*}', 'development' from generate_series(1, 1000) n`,
    );
    await rig.rows(
      `insert into accounts.orphaned_tokens (id, kind, name, selector, hash, projects)
       values (987654, 'client', 'orphaned', 'orphaned', 'h', '{*}')`,
    );
    const guesses = Array.from({ length: 996 }, () => makeToken('*:development.').selector);
    expect(await find(...guesses, 'selector-7', 'orphaned', "' or 1=1 --", '')).toEqual(['orphaned', 'selector-7']);
    expect(await find()).toEqual([]);
    const all = Array.from({ length: 1_000 }, (_, n) => `selector-${n + 1}`);
    expect(await find(...all)).toEqual(all.toSorted());
    await expect(find(...all, 'one-more')).rejects.toMatchObject({ code: 'validation' });
  });
});

describe('when a token was seen', () => {
  const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const report = (...seen: { id: number; at: string }[]) => rig.ask(contracts.reportSeenTokens, { seen }, null);
  const seenAt = async () => {
    const { tokens } = await rig.ask(contracts.listApiTokens, {});
    return tokens[0]!.seenAt;
  };

  beforeEach(async () => {
    await rig.rows('delete from accounts.tokens');
    await rig.ask(contracts.createApiToken, { type: 'client', tokenName: 'sdk' });
    id = (await rig.rows<{ id: number }>('select id from accounts.tokens'))[0]!.id;
  });

  it('the latest time wins, in any order and with repeated reports', async () => {
    expect(await seenAt()).toBeNull();
    const [early, late] = [at(10), at(5)];
    await report({ id, at: early });
    expect(await seenAt()).toBe(early);
    await report({ id, at: at(20) }, { id, at: late }, { id, at: at(7) });
    expect(await seenAt()).toBe(late);
    await report({ id, at: early });
    expect(await seenAt()).toBe(late);
  });

  it('a time ahead of the clock of accounts becomes the current time', async () => {
    await report({ id, at: '2999-01-01T00:00:00.000Z' });
    const seen = Date.parse((await seenAt())!);
    expect(seen).toBeGreaterThan(Date.now() - 60_000);
    expect(seen).toBeLessThan(Date.now() + 60_000);
  });

  it('unknown tokens are ignored, and the others are stored', async () => {
    const moment = at(1);
    await report({ id: 987_654, at: moment }, { id: 3_000_000_000_000, at: moment }, { id, at: moment });
    expect(await seenAt()).toBe(moment);
    await report();
    expect(await seenAt()).toBe(moment);
  });

  it('reports of the same tokens at once, in different orders, all succeed', async () => {
    await rig.rows(
      `insert into accounts.tokens (kind, name, selector, hash, projects, environment)
       select 'client', 'busy-' || n, 'busy-' || n, 'h', '{*}', 'development' from generate_series(1, 500) n`,
    );
    const ids = (await rig.rows<{ id: number }>('select id from accounts.tokens order by id')).map((row) => row.id);
    const orders = [ids, ids.toReversed()];
    const latest = at(0);
    const { won } = await race((racer) =>
      report(...orders[racer % 2]!.map((token) => ({ id: token, at: racer === 7 ? latest : at(60 + racer) }))),
    );
    expect(won).toBe(20);
    const moments = await rig.rows<{ seen_at: Date }>('select distinct seen_at from accounts.tokens');
    expect(moments.map(({ seen_at }) => seen_at.toISOString())).toEqual([latest]);
  });
});
