import { beforeEach, describe, expect, it } from 'vitest';
import { createKnownKeys, type KnownKeys } from './idempotency-keys.ts';

let now: number;
let claims: string[];
let keys: KnownKeys;

beforeEach(() => {
  [now, claims] = [0, []];
  keys = createKnownKeys(() => now);
});

const signalOf = (id: number, keptMs = 1_000) => ({ id, createdAt: id, bodyHash: 'body', keptMs });

/** The id of the key's signal. The claims of a key get the ids 1, 2 and so on. */
async function find(key: string, { tokenId = 1, endpointId = 1, keptMs = 1_000 } = {}): Promise<number> {
  const { id } = await keys.find({ tokenId, endpointId }, key, async () => {
    claims.push(key);
    return signalOf(claims.filter((each) => each === key).length, keptMs);
  });
  return id;
}

describe('a key', () => {
  it('is claimed once, and known until its claim ends', async () => {
    expect(await find('a')).toBe(1);
    now = 999;
    expect(await find('a')).toBe(1);
    now = 1_000;
    expect(await find('a')).toBe(2);
    now = 1_500;
    expect(await find('a')).toBe(2);
  });

  it('is known from before the claim, whatever that took', async () => {
    const waiting = keys.find({ tokenId: 1, endpointId: 1 }, 'a', async () => {
      now = 900;
      return signalOf(1);
    });
    await waiting;
    now = 999;
    expect(await find('a')).toBe(1);
    expect(claims).toEqual([]);
    now = 1_000;
    await find('a');
    expect(claims).toEqual(['a']);
  });

  it('is claimed once by requests that come together', async () => {
    expect(await Promise.all([find('a'), find('a'), find('a')])).toEqual([1, 1, 1]);
    expect(claims).toEqual(['a']);
  });

  it('whose claim fails is refused to all who wait, and claimed by the next request', async () => {
    const fail = () => keys.find({ tokenId: 1, endpointId: 1 }, 'a', () => Promise.reject(new Error('refused')));
    const refused = await Promise.allSettled([fail(), find('a')]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(claims).toEqual([]);
    expect(await find('a')).toBe(1);
  });

  it('is of one token', async () => {
    expect([await find('a'), await find('a', { tokenId: 2 })]).toEqual([1, 2]);
    expect([await find('2 a', { tokenId: 1 }), await find('a', { tokenId: 12 })]).toEqual([1, 3]);
  });
});

describe('memory', () => {
  it('has the last 500 keys of an endpoint that were used', async () => {
    for (let n = 0; n < 500; n += 1) await find(`key-${n}`);
    await find('key-0');
    await find('key-500');
    await Promise.all([find('key-0'), find('key-2'), find('key-500')]);
    expect(claims).toHaveLength(501);
    await find('key-1');
    expect(claims).toHaveLength(502);
  });

  it('has the keys of the last 50 endpoints that were used, however many the others have', async () => {
    for (let endpointId = 1; endpointId <= 50; endpointId += 1) await find('a', { endpointId, tokenId: endpointId });
    for (let n = 0; n < 1_000; n += 1) await find(`key-${n}`, { endpointId: 2, tokenId: 2 });
    await find('a');
    await find('a', { endpointId: 51, tokenId: 51 });
    expect(claims.filter((key) => key === 'a')).toHaveLength(51);
    await find('a');
    await find('a', { endpointId: 4, tokenId: 4 });
    expect(claims.filter((key) => key === 'a')).toHaveLength(51);
    await find('a', { endpointId: 3, tokenId: 3 });
    expect(claims.filter((key) => key === 'a')).toHaveLength(52);
  });
});
