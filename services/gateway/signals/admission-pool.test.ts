import { AppError } from '@yardarm/shared/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Admission } from './admission-block.ts';
import { AdmissionPool, type AdmissionRequest, type RequestBlock } from './admission-pool.ts';

type Input = Parameters<RequestBlock>[0];
type Answer = Awaited<ReturnType<RequestBlock>>;

const now = () => performance.now();

/** Stands in for signals: answers each call after `latencyMs`. Grants all that is asked for, unless told otherwise. */
class Signals {
  calls: (Input & { at: number })[] = [];
  blockIds: number[] = [];
  latencyMs = 2;
  limit = 5_000;
  reply: (input: Input) => Partial<Answer> = (input) => this.grant(input.wanted, input.lifetimeMs);
  #nextId = 1;
  #inFlight = 0;
  maxInFlight = 0;

  grant(count: number, lifetimeMs = 50): Pick<Answer, 'lease'> {
    const ids = Array.from({ length: count }, () => this.#nextId++);
    this.blockIds.push(ids[0]!);
    return { lease: { ids, grantedAt: 1_000_000 + Math.floor(now()), lifetimeMs: this.limit <= 10 ? 0 : lifetimeMs } };
  }

  ask: RequestBlock = async (input) => {
    this.calls.push({ ...input, ended: [...input.ended], at: now() });
    this.#inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.#inFlight);
    await new Promise((resolve) => setTimeout(resolve, this.latencyMs));
    this.#inFlight -= 1;
    return { limit: this.limit, lease: null, retryAfterMs: 0, ...this.reply(input) };
  };

  /** The most calls in any second. */
  mostInASecond(): number {
    return Math.max(
      ...this.calls.map(({ at }) => this.calls.filter((call) => call.at >= at && call.at < at + 1_000).length),
    );
  }
}

let signals: Signals;
let pool: AdmissionPool;
const context = { requestId: 'test', actor: null, deadline: Number.MAX_SAFE_INTEGER, traceparent: null };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  signals = new Signals();
  pool = new AdmissionPool(signals.ask);
});
afterEach(() => vi.useRealTimers());

const take = async (part: Partial<AdmissionRequest> = {}): Promise<Admission> =>
  pool.take({ tokenId: 1, context, ...part });
/** The admission's id, or the error's code. */
const outcome = (part: Partial<AdmissionRequest> = {}) =>
  take(part).then(
    ({ id }) => id,
    (error) => error.code as string,
  );

/** Sends `perMs` requests each millisecond. Returns their outcomes. */
async function flood(ms: number, perMs: number, part: Partial<AdmissionRequest> = {}): Promise<(number | string)[]> {
  const outcomes: Promise<number | string>[] = [];
  for (let passed = 0; passed < ms; passed += 1) {
    for (let count = 0; count < perMs; count += 1) outcomes.push(outcome(part));
    await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(100);
  return Promise.all(outcomes);
}

describe('above ten a second', () => {
  it('requests take admissions from memory, with at most 40 calls a second and one at a time', async () => {
    const outcomes = await flood(3_000, 3);
    const ids = outcomes.filter((each) => typeof each === 'number');
    expect(ids).toHaveLength(9_000);
    expect(new Set(ids).size).toBe(9_000);
    expect(signals.mostInASecond()).toBeLessThanOrEqual(40);
    expect(signals.maxInFlight).toBe(1);
    expect(signals.calls.length).toBeGreaterThan(40);
  });

  it('calls are made ahead, so that no request of a steady load waits', async () => {
    signals.latencyMs = 10;
    for (let ms = 0; ms < 1_000; ms += 1) {
      const taken = [1, 2, 3].map(() => pool.take({ tokenId: 1, context }));
      // The first calls find out how many come.
      if (ms >= 200) for (const each of taken) expect([ms, each]).not.toEqual([ms, expect.any(Promise)]);
      await vi.advanceTimersByTimeAsync(1);
    }
  });

  it('calls that are slow now and then leave few requests of a steady load waiting', async () => {
    let waited = 0;
    for (let ms = 0; ms < 3_000; ms += 1) {
      signals.latencyMs = signals.calls.length % 4 === 0 ? 60 : 5;
      const taken = [1, 2, 3].map(() => pool.take({ tokenId: 1, context }));
      // The first calls find out how long they take.
      if (ms >= 500) waited += taken.filter((each) => each instanceof Promise).length;
      await vi.advanceTimersByTimeAsync(1);
    }
    // The slowest call may take longer than is expected.
    expect(waited).toBeLessThan(0.1 * 7_500);
  });

  it('a block that ended is reported once, again while the report is not answered', async () => {
    await flood(1, 1);
    await vi.advanceTimersByTimeAsync(100);
    signals.reply = () => {
      throw new AppError('timeout', 'late');
    };
    expect(await flood(1, 1)).toEqual(['unavailable']);
    signals.reply = (input) => signals.grant(input.wanted);
    await flood(1, 1);
    const [, lost, again] = signals.calls;
    const [first, second] = signals.blockIds;
    expect(lost!.ended).toEqual([{ leaseId: first, endedAt: expect.any(Number), used: 1 }]);
    expect(again!.ended).toEqual(lost!.ended);
    await vi.advanceTimersByTimeAsync(100);
    await flood(1, 1);
    expect(signals.calls[3]!.ended).toEqual([{ leaseId: second, endedAt: expect.any(Number), used: 1 }]);
  });

  it('the unused admissions of a block are reported when its lifetime has passed', async () => {
    signals.reply = () => signals.grant(20);
    await flood(1, 3);
    await vi.advanceTimersByTimeAsync(100);
    await flood(1, 1);
    expect(signals.calls[1]!.ended).toEqual([{ leaseId: 1, endedAt: expect.any(Number), used: 3 }]);
  });

  it('a request gets an admission of the grants time when the answer comes after the lifetime', async () => {
    signals.latencyMs = 80;
    const waiting = take();
    await vi.advanceTimersByTimeAsync(80);
    expect(await waiting).toEqual({ id: 1, createdAt: 1_000_080 });
    // The next block can be used as long after its answer.
    const next = take();
    await vi.advanceTimersByTimeAsync(80);
    expect(await next).toMatchObject({ createdAt: 1_000_160 });
    expect(signals.calls.map(({ lifetimeMs }) => lifetimeMs)).toEqual([50, 130]);
    expect(signals.calls[1]!.ended).toEqual([{ leaseId: 1, endedAt: 1_000_080, used: 1 }]);
  });

  it('a request that arrives during a call gets a createdAt that is not before it', async () => {
    signals.latencyMs = 20;
    signals.reply = () => signals.grant(3);
    const first = take();
    await vi.advanceTimersByTimeAsync(7);
    const second = take();
    await vi.advanceTimersByTimeAsync(13);
    expect([await first, await second]).toEqual([
      { id: 1, createdAt: 1_000_020 },
      { id: 2, createdAt: 1_000_027 },
    ]);
  });

  it('requests beyond what was granted are refused from memory until an admission can be free', async () => {
    signals.reply = () => ({ ...signals.grant(2), retryAfterMs: 300 });
    expect(await flood(1, 5)).toEqual([1, 2, 'rate-limited', 'rate-limited', 'rate-limited']);
    expect(await flood(150, 1)).toEqual(Array.from({ length: 150 }, () => 'rate-limited'));
    expect(signals.calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(await outcomeAfter(10)).toBe(3);
  });

  it('an admission that is given back is used again', async () => {
    signals.reply = () => ({ ...signals.grant(2), retryAfterMs: 1_000 });
    const first = take();
    await vi.advanceTimersByTimeAsync(5);
    pool.giveBack(await first);
    expect(await Promise.all([outcome(), outcome(), outcome()])).toEqual([1, 2, 'rate-limited']);
  });
});

async function outcomeAfter(ms: number): Promise<number | string> {
  const waiting = outcome();
  await vi.advanceTimersByTimeAsync(ms);
  return waiting;
}

describe.each([1, 10])('up to ten a second, at %i', (limit) => {
  /** Grants one admission when it is a second since the limit-th last one. */
  function byRate(): (input: Input) => Partial<Answer> {
    const granted: number[] = [];
    return () => {
      const oldest = granted.at(-limit) ?? Number.NEGATIVE_INFINITY;
      const freeIn = Math.ceil(oldest + 1_000 - now());
      if (freeIn > 0) return { retryAfterMs: freeIn };
      granted.push(now());
      const next = granted.at(-limit) ?? Number.NEGATIVE_INFINITY;
      return { ...signals.grant(1), retryAfterMs: Math.max(0, Math.ceil(next + 1_000 - now())) };
    };
  }

  beforeEach(() => {
    signals.limit = limit;
    signals.reply = byRate();
  });

  it('a flood gets the limit each second, with at most two more calls, and the rest is refused', async () => {
    const outcomes = await flood(3_000, 2);
    const admitted = outcomes.filter((each) => typeof each === 'number');
    expect(admitted.length).toBeGreaterThanOrEqual(3 * limit - 1);
    expect(admitted.length).toBeLessThanOrEqual(4 * limit);
    expect(new Set(admitted).size).toBe(admitted.length);
    expect(signals.mostInASecond()).toBeLessThanOrEqual(limit + 2);
    expect(signals.maxInFlight).toBe(1);
    expect(new Set(outcomes.filter((each) => typeof each === 'string'))).toEqual(new Set(['rate-limited']));
  });

  it('races that other gateways win do not add calls', async () => {
    signals.reply = () => ({ retryAfterMs: 1 });
    await flood(2_000, 1);
    expect(signals.mostInASecond()).toBeLessThanOrEqual(limit + 2);
  });

  it('an admission that is given back is reported as unused with the next call', async () => {
    const first = take();
    await vi.advanceTimersByTimeAsync(5);
    pool.giveBack(await first);
    await vi.advanceTimersByTimeAsync(1_000);
    const next = take();
    await vi.advanceTimersByTimeAsync(30);
    await next;
    expect(signals.calls.at(-1)!.ended).toContainEqual({ leaseId: 1, endedAt: expect.any(Number), used: 0 });
  });
});

describe('a call that fails', () => {
  const failWith = (code: 'timeout' | 'unavailable' | 'unauthenticated' | 'not-found') => {
    signals.reply = () => {
      throw new AppError(code, 'failed');
    };
  };

  it.each(['timeout', 'unavailable'] as const)('with %s is unavailable for all who wait', async (code) => {
    failWith(code);
    expect(await flood(1, 3)).toEqual(Array.from({ length: 3 }, () => 'unavailable'));
    expect(signals.calls).toHaveLength(1);
  });

  it('for its token refuses that token alone', async () => {
    signals.reply = (input) => {
      if (input.tokenId === 1) throw new AppError('unauthenticated', 'gone');
      return signals.grant(input.wanted);
    };
    const outcomes = [outcome({ tokenId: 1 }), outcome({ tokenId: 2 }), outcome({ tokenId: 1 })];
    await vi.advanceTimersByTimeAsync(100);
    expect(await Promise.all(outcomes)).toEqual(['unauthenticated', expect.any(Number), 'unauthenticated']);
  });

  it('because the endpoint is off ends its blocks', async () => {
    await flood(100, 3);
    failWith('not-found');
    await vi.advanceTimersByTimeAsync(100);
    expect(await outcomeAfter(30)).toBe('not-found');
    expect(await outcomeAfter(30)).toBe('not-found');
  });
});
