// `--simulate`: the table of docs/scale.md from the JSON of `--growth`.
import { readFileSync } from 'node:fs';
import type { Curve } from '../growth/curve.ts';
import type { Measured } from '../growth/growth.ts';
import { percentile } from '../measurement.ts';
import { type Costs, seeded, simulate } from './simulation.ts';

/** From the issue: 100,000 SDKs over 100 gateways. */
const [gateways, streamsPerGateway] = [100, 1_000];
const rates = [1, 2, 5, 10, 20, 50];
/** 100 changes at the lowest rate, and 5 million delays at the highest. */
const seconds = 100;

/** Of the line through the points by least squares. A noisy measurement gives no cost below zero. */
function lineThrough({ points }: Curve): { first: number; each: number } {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.figure))];
  const covariance = mean(points.map((point) => (point.x - x) * (point.figure - y)));
  const each = Math.max(0, covariance / mean(points.map((point) => (point.x - x) ** 2)));
  return { first: Math.max(0, y - each * x), each };
}

/** The costs that the curves over gateways and streams show. */
export function costsOf(curves: readonly Curve[]): Costs {
  const lineOf = (name: string) => {
    const curve = curves.find((each) => each.name === name);
    if (!curve) throw new Error(`the measurement has no curve ${name}`);
    return lineThrough(curve);
  };
  const [shared, gateway] = [lineOf('change-over-gateways'), lineOf('change-over-streams')];
  return { change: shared.first, fetch: shared.each, apply: gateway.first, write: gateway.each };
}

/** Simulates the rates with the costs of a JSON file of `--growth`. Returns a text with a table in Markdown. */
export function simulationOf(file: string): string {
  const { measured, curves } = JSON.parse(readFileSync(file, 'utf8')) as Measured;
  const costs = costsOf(curves);
  const rows = rates.map((changesPerSecond) => {
    const scale = { gateways, streamsPerGateway, changesPerSecond, seconds };
    const { delays, flagsBusy, gatewayBusy } = simulate(costs, scale, seeded(1));
    const ms = [50, 99].map((percent) => Math.round(percentile(delays, percent)));
    const busy = [flagsBusy, gatewayBusy].map((part) => `${Math.round(part * 100)} %`);
    return `| ${[changesPerSecond, ...ms, ...busy].join(' | ')} |`;
  });
  const used = Object.entries(costs).map(([name, ms]) => `${name} ${ms.toPrecision(3)} ms`);
  return [
    `Simulated: ${gateways} gateways with ${streamsPerGateway} streams each, from ${measured}: ${used.join(', ')}`,
    '',
    '| Changes/s | Delay p50, ms | Delay p99, ms | flags busy | a gateway busy |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
