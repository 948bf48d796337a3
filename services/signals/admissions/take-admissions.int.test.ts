// Blocks of admissions on a real Postgres: concurrent takers through two replicas, refusals, keys, and requests of a
// gateway of the release before.
import { type BlockEnd, claimKey, findKey, takeAdmissions } from '@yardarm/shared/contracts/signals';
import { createDatabase } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { casesOfRun, eventually } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignalsTables } from '../db/schema.ts';
import { type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';
import { holdLedgerBriefly, lockLedger } from './admissions.repo.ts';

let rig: SignalsRig;
let replica: RunningService;

beforeAll(async () => {
  rig = await startSignalsRig({ UNLEASH_SIGNAL_ENDPOINTS_LIMIT: '100' });
  // Both serve the same requests.
  replica = await rig.start();
});

afterAll(async () => {
  await replica?.drain();
  await replica?.stop();
  await rig?.stop();
});

interface Sender {
  endpointId: number;
  tokenId: number;
}

let endpoints = 0;

async function senderAt(ratePerSecond: number): Promise<Sender> {
  endpoints += 1;
  const endpoint = await rig.createEndpoint(`endpoint-${endpoints}`, { ratePerSecond });
  return { endpointId: endpoint.id, tokenId: (await rig.createToken(endpoint.id, 'sender')).id };
}

interface Demand {
  wanted: number;
  lifetimeMs: number;
  ended: BlockEnd[];
  /** As from a gateway of the release before. */
  key: string;
}

const take = (sender: Sender, part: Partial<Demand> = {}) => {
  const { wanted = 1, lifetimeMs = 50, ended = [], key } = part;
  const claim = key === undefined ? null : { key, bodyHash: 'body' };
  return rig.ask(takeAdmissions, { ...sender, wanted, lifetimeMs, ended, claim }, null);
};

const claim = ({ tokenId }: Sender, id: number, key = 'same', bodyHash = 'body', createdAt = 1_800_000_000_000 + id) =>
  rig.ask(claimKey, { tokenId, key, bodyHash, id, createdAt }, null);
const find = ({ tokenId }: Sender, key: string) => rig.ask(findKey, { tokenId, key }, null);

interface Signal {
  id: number;
  createdAt: number;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Takes blocks as a gateway does, uses each as late as it may, and is killed in a part of them. */
async function takeFor(sender: Sender, ms: number, signals: Signal[], limit: number): Promise<void> {
  const end = performance.now() + ms;
  let ended: BlockEnd[] = [];
  let callMs = 0;
  while (performance.now() < end) {
    const startedAt = performance.now();
    // On a busy machine a call takes longer than the usual lifetime. At a low rate the longer lifetimes of those that
    // are killed would leave less than is expected below.
    const lifetimeMs = limit <= 10 ? 50 : Math.min(1_000, 50 + 2 * Math.ceil(callMs));
    const { lease, retryAfterMs } = await take(sender, { wanted: 400, lifetimeMs, ended });
    callMs = performance.now() - startedAt;
    ended = [];
    if (!lease) {
      // Some ask before the time, as after a lost answer.
      await pause(Math.random() < 0.2 ? 1 : Math.min(retryAfterMs, 100));
      continue;
    }
    const used: Signal[] = [];
    for (const id of lease.ids) {
      if (Math.random() < 4 / lease.ids.length) await pause(5);
      const elapsed = Math.floor(performance.now() - startedAt);
      if (lease.lifetimeMs > 0 && elapsed >= lease.lifetimeMs) break;
      used.push({ id, createdAt: lease.grantedAt + (lease.lifetimeMs > 0 ? elapsed : 0) });
    }
    signals.push(...used);
    const endedAt = used.at(-1)?.createdAt ?? lease.grantedAt;
    if (Math.random() < 0.7) ended.push({ leaseId: lease.ids[0]!, endedAt, used: used.length });
  }
}

function mostInASecond(signals: readonly Signal[]): number {
  const times = signals.map(({ createdAt }) => createdAt).sort((a, b) => a - b);
  let first = 0;
  return times.reduce((most, time, index) => {
    while (time - times[first]! >= 1_000) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

describe('concurrent takers', () => {
  it.each(casesOfRun(2, [1, 10, 11, 5_000]))(
    'get at most %i admissions in any sliding second, each with its own id',
    async (limit) => {
      const sender = await senderAt(limit);
      const signals: Signal[] = [];
      const racers = 6;
      await Promise.all(Array.from({ length: racers }, () => takeFor(sender, 2_500, signals, limit)));
      expect(new Set(signals.map(({ id }) => id)).size).toBe(signals.length);
      expect(mostInASecond(signals)).toBeLessThanOrEqual(limit);
      // Within 2.5 s at least two seconds' worth; takers of blocks are slow and some are killed.
      expect(signals.length).toBeGreaterThanOrEqual(limit <= 10 ? 2 * limit : limit / 2);
    },
  );

  it('with keys and without get at most ten admissions in any sliding second, one for each key', async () => {
    const sender = await senderAt(10);
    const signals: Signal[] = [];
    const claimed = new Map<string, Set<number>>();
    const end = performance.now() + 2_500;
    const claimAll = async (racer: number) => {
      let ended: BlockEnd[] = [];
      for (let turn = 0; performance.now() < end; turn += 1) {
        // Two racers share each key.
        const key = `key-${racer >> 1}-${turn >> 2}`;
        const { lease } = await take(sender, { ended });
        ended = [];
        if (lease) {
          const [id, createdAt] = [lease.ids[0]!, lease.grantedAt];
          const found = await claim(sender, id, key, 'body', createdAt);
          claimed.set(key, (claimed.get(key) ?? new Set()).add(found.id));
          if (found.id === id) signals.push({ id, createdAt });
          ended = [{ leaseId: id, endedAt: createdAt, used: found.id === id ? 1 : 0 }];
        }
        await pause(20);
      }
    };
    await Promise.all([0, 1, 2, 3].map(claimAll).concat(takeFor(sender, 2_500, signals, 10)));
    expect(mostInASecond(signals)).toBeLessThanOrEqual(10);
    expect(new Set(signals.map(({ id }) => id)).size).toBe(signals.length);
    for (const ids of claimed.values()) expect(ids.size).toBe(1);
    expect(claimed.size).toBeGreaterThan(0);
  });
});

describe('a block', () => {
  it('has the share of its lifetime, and none where that is one admission', async () => {
    const single = await take(await senderAt(10), { wanted: 5 });
    expect(single).toMatchObject({ limit: 10, lease: { lifetimeMs: 0 }, retryAfterMs: 0, claimed: null });
    expect(single.lease?.ids).toHaveLength(1);
    const block = await take(await senderAt(100), { wanted: 7 });
    expect(block).toMatchObject({ limit: 100, lease: { lifetimeMs: 50 } });
    expect(block.lease?.ids).toHaveLength(5);
  });

  it('is refused until the time that the answer tells', async () => {
    const sender = await senderAt(1);
    const first = await take(sender);
    const refused = await take(sender);
    expect(refused.lease).toBeNull();
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(1_000);
    const second = await eventually(async () => {
      const { lease } = await take(sender);
      if (!lease) throw new Error('not yet');
      return lease;
    });
    expect(second.grantedAt - first.lease!.grantedAt).toBeGreaterThanOrEqual(1_000);
  });

  it('that was not used makes room, also when its end is reported twice', async () => {
    // Few, because all have to be taken within a second.
    const sender = await senderAt(2);
    const open = [(await take(sender)).lease!, (await take(sender)).lease!];
    expect((await take(sender)).lease).toBeNull();
    const report = { leaseId: open[0]!.ids[0]!, endedAt: open[0]!.grantedAt, used: 0 };
    expect((await take(sender, { ended: [report] })).lease).not.toBeNull();
    expect((await take(sender, { ended: [report] })).lease).toBeNull();
  });

  it('is for the endpoints own rate, else for that of the setting', async () => {
    const sender = await senderAt(7);
    expect((await take(sender)).limit).toBe(7);
    await rig.rows('update signals.signal_endpoints set rate_per_second = null where id = $1', [sender.endpointId]);
    expect((await take(sender)).limit).toBe(1);
  });

  it.each([
    [
      'a token that was deleted',
      'delete from signals.signal_endpoint_tokens where endpoint_id = $1',
      'unauthenticated',
    ],
    ['an endpoint that is off', 'update signals.signal_endpoints set enabled = false where id = $1', 'not-found'],
    ['an endpoint that was deleted', 'delete from signals.signal_endpoints where id = $1', 'not-found'],
  ])('is refused for %s', async (_title, statement, code) => {
    const sender = await senderAt(5);
    await rig.rows(statement, [sender.endpointId]);
    await expect(take(sender)).rejects.toMatchObject({ code });
    await expect(take(sender, { key: 'a' })).rejects.toMatchObject({ code });
  });

  it('is refused for the token of another endpoint', async () => {
    const [one, other] = [await senderAt(5), await senderAt(5)];
    await expect(take({ ...one, tokenId: other.tokenId })).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('of a replica that is paused before its commit is given to another one', async () => {
    const sender = await senderAt(1);
    const db = createDatabase<SignalsTables>({
      ...{ url: rig.database.urlFor('signals'), schema: 'signals', maxConnections: 1 },
      log: createLogger({ service: 'test', level: 'silent' }),
    });
    let resume = () => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const locked = Promise.withResolvers<void>();
    // For Postgres this is a replica that was stopped by a signal.
    const lost = db.transaction(async (trx) => {
      holdLedgerBriefly(trx);
      await lockLedger(trx, sender.endpointId, sender.tokenId);
      locked.resolve();
      await paused;
      await lockLedger(trx, sender.endpointId, sender.tokenId);
    });
    await locked.promise;
    expect((await take(sender)).lease).not.toBeNull();
    resume();
    await expect(lost).rejects.toMatchObject({ code: 'unavailable' });
    await db.close();
  });
});

describe('a request of a gateway of the release before, with a key,', () => {
  it('gets an admission, with which the gateway claims the key', async () => {
    const sender = await senderAt(10);
    const { lease, claimed } = await take(sender, { key: 'same' });
    expect(claimed).toBeNull();
    const [id, createdAt] = [lease!.ids[0]!, lease!.grantedAt];
    expect(await claim(sender, id, 'same', 'body', createdAt)).toMatchObject({ id, createdAt });
  });

  it('gets the signal of a known key and no admission, even when none is free', async () => {
    const sender = await senderAt(1);
    const { lease } = await take(sender, { key: 'same' });
    const { keptMs, ...signal } = await claim(sender, lease!.ids[0]!);
    const again = await take(sender, { key: 'same' });
    expect(again).toMatchObject({ limit: 1, lease: null, claimed: signal });
    expect(again.claimed!.keptMs).toBeLessThanOrEqual(keptMs);
    expect(again.retryAfterMs).toBeGreaterThan(0);
    expect(await take(sender, { key: 'new' })).toMatchObject({ lease: null, claimed: null });
  });
});

describe('a key', () => {
  const dayMs = 86_400_000;
  const countKeys = async ({ tokenId }: Sender) => {
    const [row] = await rig.rows<{ count: string }>(
      'select count(*) from signals.idempotency_keys where token_id = $1',
      [tokenId],
    );
    return Number(row!.count);
  };
  const age = (hours: number) =>
    rig.rows("update signals.idempotency_keys set claimed_at = claimed_at - $1 * interval '1 hour'", [hours]);

  it('is found by its token for a day from its claim, without an admission', async () => {
    const [sender, other] = [await senderAt(1), await senderAt(1)];
    expect(await find(sender, 'same')).toEqual({ claimed: null });
    const { lease } = await take(sender);
    const [id, createdAt] = [lease!.ids[0]!, lease!.grantedAt];
    const { keptMs, ...signal } = await claim(sender, id, 'same', 'body', createdAt);
    expect(signal).toEqual({ id, createdAt, bodyHash: 'body' });
    expect(keptMs).toBeGreaterThan(dayMs - 10_000);
    expect(keptMs).toBeLessThanOrEqual(dayMs);
    expect((await take(sender)).lease).toBeNull();
    const { claimed } = await find(sender, 'same');
    expect(claimed).toMatchObject(signal);
    expect(claimed!.keptMs).toBeLessThanOrEqual(keptMs);
    expect(await claim(sender, id + 1, 'same', 'other')).toMatchObject(signal);
    expect(await find(other, 'same')).toEqual({ claimed: null });
    expect(await countKeys(sender)).toBe(1);
    await age(24);
    expect(await find(sender, 'same')).toEqual({ claimed: null });
  });

  it('of twenty concurrent claims through two replicas is that of one signal', async () => {
    const sender = await senderAt(100);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(sender, index + 1)));
    const [{ id } = { id: 0 }] = answers;
    for (const answer of answers) expect(answer).toMatchObject({ id, createdAt: 1_800_000_000_000 + id });
  });

  it('is of one token', async () => {
    const [one, other] = [await senderAt(10), await senderAt(10)];
    expect([await claim(one, 1), await claim(other, 2)]).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it('is free after 24 hours, and is deleted then', async () => {
    const sender = await senderAt(100);
    const first = await claim(sender, 1);
    await age(23);
    const { keptMs, ...later } = await claim(sender, 2);
    expect(first).toMatchObject(later);
    expect(keptMs).toBeLessThanOrEqual(dayMs / 24);
    await age(1);
    expect(await claim(sender, 3, 'same', 'other')).toMatchObject({ id: 3, bodyHash: 'other' });
    await age(24);
    expect(await claim(sender, 4)).toMatchObject({ id: 4 });
    await claim(sender, 5, 'forgotten');
    await age(24);
    await claim(sender, 6, 'kept');
    await rig.service.processAll();
    expect(await rig.rows('select key from signals.idempotency_keys where token_id = $1', [sender.tokenId])).toEqual([
      { key: 'kept' },
    ]);
  });
});
