import { describe, expect, test } from 'vitest';
import { percentile } from '../measurement.ts';
import { costsOf } from './report.ts';
import { type Costs, seeded, simulate } from './simulation.ts';

const costs: Costs = { change: 2, fetch: 0.5, apply: 1, write: 0.01 };
const small = { gateways: 3, streamsPerGateway: 100, changesPerSecond: 1, seconds: 100 };

describe('a simulation', () => {
  test('has a delay of the fetch and the writes when nothing waits', () => {
    const { delays } = simulate(costs, { ...small, gateways: 1 }, () => 0.5);
    expect(Math.max(...delays)).toBeCloseTo(0.5 + 1 + 1);
    expect(Math.min(...delays)).toBeCloseTo(0.5 + 1 + 0.1);
  });

  test('writes every change in every gateway once, also when changes wait for each other', () => {
    const { delays } = simulate(costs, { ...small, seconds: 10, changesPerSecond: 400 }, () => 0.5);
    const changes = Math.floor(10_000 / (Math.log(2) * 2.5)) + 1;
    expect(delays).toHaveLength(changes * 3 * 10);
    expect(percentile(delays, 0)).toBeGreaterThan(0);
  });

  test('is the same again with the same seed, and slower with more gateways', () => {
    const p99 = (gateways: number) => percentile(simulate(costs, { ...small, gateways }, seeded(1)).delays, 99);
    expect(p99(50)).toBe(p99(50));
    expect(p99(50)).toBeGreaterThan(p99(5));
  });

  test('has the measured part of the time in which flags works', () => {
    const { flagsBusy, gatewayBusy } = simulate(costs, { ...small, seconds: 2_000 }, seeded(1));
    expect(flagsBusy).toBeCloseTo(0.0035, 3);
    expect(gatewayBusy).toBeCloseTo(0.002, 3);
  });
});

test('the costs are the lines through the measured points', () => {
  const line = (name: string, first: number, each: number) => ({
    ...{ name, title: '', x: '', unit: 'ms', baseline: '' },
    points: [1, 2, 8].map((x) => ({ x, figure: first + each * x, baseline: 0 })),
  });
  const measured = costsOf([line('change-over-gateways', 2, 0.5), line('change-over-streams', 1, 0.01)]);
  for (const [name, ms] of Object.entries(costs)) expect(measured[name as keyof Costs]).toBeCloseTo(ms);
});
