// `--growth` measures how cost grows. Its JSON (`--json`) is what `--plots` draws.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Bench } from '../row.ts';
import type { Curve, Growth } from './curve.ts';
import { changeOverFlags } from './curves/change-over-flags.ts';
import { changeOverGateways } from './curves/change-over-gateways.ts';
import { deliveriesOverIntegrations } from './curves/deliveries-over-integrations.ts';
import { changeOverStreams, propagationOverStreams } from './curves/propagation-over-streams.ts';
import { recordingOverLog } from './curves/recording-over-log.ts';
import { signalsOverEndpoints } from './curves/signals-over-endpoints.ts';
import { svgOf } from './plot.ts';

const growths: readonly Growth[] = [
  ...[changeOverFlags, propagationOverStreams, changeOverStreams, changeOverGateways],
  ...[recordingOverLog, deliveriesOverIntegrations, signalsOverEndpoints],
];

export interface Measured {
  measured: string;
  curves: Curve[];
}

/** Measures the curves, or those of these names. One that cannot be measured is reported and left out. */
export async function measureGrowth(bench: Bench, names: readonly string[]): Promise<Curve[]> {
  const known = growths.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`there is no curve ${unknown.join(', ')}; there are ${known.join(', ')}`);
  const curves: Curve[] = [];
  for (const { measure, ...described } of growths.filter(({ name }) => names.length === 0 || names.includes(name))) {
    bench.say(`curve ${described.name}: ${described.title} ...`);
    try {
      const curve = { ...described, points: await measure(bench) };
      curves.push(curve);
      bench.say(tableOf(curve));
    } catch (error) {
      process.exitCode = 1;
      bench.say(`failed: ${(error as Error).message}`);
    }
  }
  return curves;
}

function tableOf({ x, unit, baseline, points }: Curve): string {
  const rows = points.map(
    (point) => `| ${point.x} | ${point.figure.toPrecision(3)} | ${point.baseline.toPrecision(3)} |`,
  );
  return [`| ${x} | ${unit} | ${baseline} |`, '| --- | --- | --- |', ...rows, ''].join('\n');
}

/** Draws the curves of a JSON file of `--growth` into the folder. */
export function drawPlots(file: string, folder: string): void {
  const { measured, curves } = JSON.parse(readFileSync(file, 'utf8')) as Measured;
  mkdirSync(folder, { recursive: true });
  for (const curve of curves) writeFileSync(path.join(folder, `${curve.name}.svg`), svgOf(curve, measured));
}
