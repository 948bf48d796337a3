import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdmissionBlock } from './admission-block.ts';

const grantedAt = 1_800_000_000_000;
const blockOf = (count: number, startedAt = 0) =>
  new AdmissionBlock(
    { ids: Array.from({ length: count }, (_, index) => 100 + index), grantedAt, lifetimeMs: 50 },
    startedAt,
  );

describe('a block', () => {
  it('gives each id once, with a createdAt within its lease, and none after its lifetime', () => {
    const acts = fc.array(fc.record({ passed: fc.double({ min: 0, max: 9, noNaN: true }), returns: fc.boolean() }));
    fc.assert(
      fc.property(
        acts,
        fc.integer({ min: 0, max: 20 }),
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        (given, count, start) => {
          const block = blockOf(count, start);
          const kept: number[] = [];
          const times: number[] = [];
          let now = start;
          for (const { passed, returns } of given) {
            now += passed;
            const admission = block.use(now);
            expect(admission !== null || now - start >= 50 || kept.length === count).toBe(true);
            if (!admission) continue;
            times.push(admission.createdAt);
            if (returns) block.giveBack(admission);
            else kept.push(admission.id);
          }
          expect(new Set(kept).size).toBe(kept.length);
          for (const time of times) {
            expect(time).toBeGreaterThanOrEqual(grantedAt);
            expect(time).toBeLessThan(grantedAt + 50);
          }
          if (count === 0) return;
          expect(block.end()).toEqual({ leaseId: 100, endedAt: Math.max(grantedAt, ...times), used: kept.length });
          expect(block.use(now)).toBeNull();
        },
      ),
    );
  });

  it('counts its lifetime from before the request, whatever the answer took', () => {
    const block = blockOf(3, 1_000);
    expect(block.left(1_049.9)).toBe(3);
    expect(block.use(1_049.9)).toEqual({ id: 100, createdAt: grantedAt + 49 });
    expect(block.left(1_050)).toBe(0);
    expect(block.use(1_050)).toBeNull();
  });

  it('that has ended takes nothing back', () => {
    const block = blockOf(2);
    const admission = block.use(1)!;
    expect(block.end()).toMatchObject({ used: 1 });
    block.giveBack(admission);
    expect(block.use(2)).toBeNull();
  });
});
