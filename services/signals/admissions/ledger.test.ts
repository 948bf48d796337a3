import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, type Decision, type Demand, decide, type Ledger } from './ledger.ts';

const noon = 1_800_000_000_000;

/** A ledger at a time of the database's clock, as the repository stores it. */
class StoredLedger {
  ledger: Ledger = { blocks: [], lastAt: 0 };
  #nextId = 1;

  decide(now: number, demand: Demand): Decision & { block: Block | null } {
    const decision = decide(this.ledger, now, demand);
    const { at, blocks, granted } = decision;
    if (!granted && demand.ended.length === 0) return { ...decision, block: null };
    const block = granted && { id: this.#nextId, ...granted };
    this.#nextId += granted?.count ?? 0;
    this.ledger = { blocks: block ? [...blocks, block] : blocks, lastAt: at };
    return { ...decision, block };
  }
}

/** The most times in any second, from one of them to before a second later. */
function mostInASecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  return sorted.reduce((most, time, index) => {
    while (time - sorted[first]! >= 1_000) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

interface Step {
  /** The change of the clock since the step before. */
  passed: number;
  requested: number;
  lifetimeMs: number;
  /** When in the lifetime its holder uses each admission. It uses none when it is killed at once. */
  uses: number[];
  /** How many steps later its holder reports its end, if it does. */
  reportedAfter: number | null;
  /** Whether the answer to the report is lost, so that it is sent again. */
  isSentTwice: boolean;
}

const clockChange = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 4, arbitrary: fc.integer({ min: 900, max: 1_100 }) },
  // A time service sets the clock back.
  { weight: 1, arbitrary: fc.integer({ min: -1_000, max: 0 }) },
);
const place = fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));

const steps = (limit: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      passed: clockChange,
      requested: fc.integer({ min: 1, max: Math.min(4_000, 2 * limit) }),
      lifetimeMs: fc.integer({ min: 50, max: 400 }),
      uses: fc.array(place, { maxLength: 12 }),
      reportedAfter: fc.option(fc.integer({ min: 1, max: 4 })),
      isSentTwice: fc.boolean(),
    }),
    { minLength: 1, maxLength: 60 },
  );

/** Runs the steps. Returns the createdAt of each signal. A holder that uses anything uses all, at the given places. */
function run(limit: number, given: readonly Step[]): number[] {
  const stored = new StoredLedger();
  const createdAts: number[] = [];
  const reports: Demand['ended'][number][][] = [];
  let now = noon;
  let latest = noon;
  given.forEach(({ passed, requested, lifetimeMs, uses, reportedAfter, isSentTwice }, index) => {
    // Several changes back together are no more than one.
    now = Math.max(now + passed, latest - 1_000);
    latest = Math.max(latest, now);
    const { block } = stored.decide(now, { limit, requested, lifetimeMs, ended: reports[index] ?? [] });
    if (!block) return;
    const span = block.endsAt - block.grantedAt;
    const used = uses.length === 0 ? 0 : reportedAfter === null ? block.count : Math.min(block.count, uses.length);
    const times = Array.from({ length: used }, (_, n) => block.grantedAt + Math.floor(span * uses[n % uses.length]!));
    createdAts.push(...times);
    if (reportedAfter === null) return;
    const report = { leaseId: block.id, endedAt: Math.max(block.grantedAt, ...times), used };
    for (const after of isSentTwice ? [reportedAfter, reportedAfter + 1] : [reportedAfter]) {
      reports[index + after] = [...(reports[index + after] ?? []), report];
    }
  });
  return createdAts;
}

describe('the ledger', () => {
  it.each([1, 2, 10, 11, 100, 5_000])('lets no sliding second have more than %i signals', (limit) => {
    let most = 0;
    fc.assert(
      fc.property(steps(limit), (given) => {
        const found = mostInASecond(run(limit, given));
        most = Math.max(most, found);
        expect(found).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 500 },
    );
    // A ledger that granted nothing would pass too.
    expect(most).toBeGreaterThan(limit / 3);
  });

  it.each([
    [1, 1],
    [10, 3],
    [11, 1],
    [11, 3],
    [5_000, 1],
    [5_000, 3],
  ])('grants nearly all of a limit of %i to %i gateways that use all at once', (limit, gateways) => {
    const stored = new StoredLedger();
    const ended: Demand['ended'][number][][] = Array.from({ length: gateways }, () => []);
    const seconds = 20;
    let granted = 0;
    // Each gateway asks each 25 ms, a gateway after the other.
    for (let turn = 0; turn < seconds * 40 * gateways; turn += 1) {
      const gateway = turn % gateways;
      const now = noon + Math.floor((turn * 25) / gateways);
      const { block } = stored.decide(now, { limit, requested: limit, lifetimeMs: 50, ended: ended[gateway]! });
      ended[gateway] = block ? [{ leaseId: block.id, endedAt: block.grantedAt, used: block.count }] : [];
      granted += block?.count ?? 0;
    }
    // 95 percent.
    expect(granted).toBeGreaterThanOrEqual(0.95 * limit * seconds);
  });
});

describe('a decision', () => {
  const block = (id: number, age: number, part: Partial<Block> = {}): Block => ({
    ...{ id, grantedAt: noon - age, endsAt: noon - age, count: 1 },
    ...part,
  });
  const demand = (part: Partial<Demand>): Demand => ({ limit: 3, requested: 1, lifetimeMs: 50, ended: [], ...part });

  it.each([
    ['one of three is a second old', [1000, 10, 10], true],
    ['three are younger than a second', [999, 10, 10], false],
    ['only two are younger than a second', [5000, 500, 10], true],
    ['the limit was higher before, and more are younger than a second', [900, 800, 400, 300, 200], false],
    ['the clock was set back an hour', [-3_600_000, -3_600_000, -3_600_000], true],
    ['the clock was set back a little', [-500, -400, -300], false],
  ])('when %s: ages %j', (_title, ages, isGranted) => {
    const blocks = ages.map((age, index) => block(index + 1, age));
    const { granted } = decide({ blocks, lastAt: noon - Math.min(...ages) }, noon, demand({}));
    expect(granted !== null).toBe(isGranted);
  });

  it('grants a block of what is wanted, of what is free, or of the share of its lifetime', () => {
    const blocks = [block(1, 500, { count: 4_900 })];
    const grantedOf = (part: Partial<Demand>) =>
      decide({ blocks, lastAt: noon - 500 }, noon, demand({ limit: 5_000, ...part })).granted?.count;
    expect(grantedOf({ requested: 7 })).toBe(7);
    expect(grantedOf({ requested: 400 })).toBe(100);
    expect(grantedOf({ requested: 400, limit: 7_000 })).toBe(350);
    expect(grantedOf({ requested: 400, limit: 7_000, lifetimeMs: 60 })).toBe(400);
  });

  it('grants one admission without a lifetime where the share of the lifetime is not more', () => {
    const grantedOf = (limit: number, requested = 9) =>
      decide({ blocks: [], lastAt: 0 }, noon, demand({ limit, requested })).granted;
    expect(grantedOf(1)).toEqual({ grantedAt: noon, endsAt: noon, count: 1 });
    expect(grantedOf(20)).toEqual({ grantedAt: noon, endsAt: noon, count: 1 });
    expect(grantedOf(21)).toEqual({ grantedAt: noon, endsAt: noon + 50, count: 2 });
    expect(grantedOf(21, 1)).toEqual({ grantedAt: noon, endsAt: noon + 50, count: 1 });
    expect(grantedOf(100)).toEqual({ grantedAt: noon, endsAt: noon + 50, count: 5 });
  });

  it('counts an open block until a second after its end, and a reported one by its report', () => {
    const open = block(1, 30, { endsAt: noon + 20, count: 3 });
    const ledger = { blocks: [open], lastAt: noon - 30 };
    const reported = (endedAt: number, used: number, id = 1) =>
      decide(ledger, noon, demand({ ended: [{ leaseId: id, endedAt, used }] }));
    expect(decide(ledger, noon, demand({}))).toMatchObject({ granted: null, retryAfterMs: 1_020 });
    expect(reported(noon - 10, 3)).toMatchObject({ granted: null, retryAfterMs: 990 });
    expect(reported(noon - 10, 2)).toMatchObject({ granted: { count: 1 }, retryAfterMs: 990 });
    expect(reported(noon - 30, 0)).toMatchObject({ granted: { count: 1 }, blocks: [], retryAfterMs: 0 });
    // A report cannot extend a block, and says nothing of others.
    expect(reported(noon + 500, 9)).toMatchObject({ granted: null, blocks: [open] });
    expect(reported(noon - 30, 0, 2)).toMatchObject({ granted: null, blocks: [open] });
  });

  it('tells when an admission can next be free', () => {
    const blocks = [block(1, 700), block(2, 400), block(3, 100)];
    const retryAfter = (limit: number, now = noon) =>
      decide({ blocks, lastAt: noon - 100 }, now, demand({ limit })).retryAfterMs;
    expect(retryAfter(5)).toBe(0);
    expect(retryAfter(4)).toBe(300);
    expect(retryAfter(3)).toBe(300);
    // The limit was lowered: two must go first.
    expect(retryAfter(2)).toBe(600);
    // While the clock is behind, it has to catch up too.
    expect(retryAfter(3, noon - 200)).toBe(500);
  });
});
