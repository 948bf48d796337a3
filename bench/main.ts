// `npm run bench` measures every goal against its baseline on this machine. It is a program and not a test: it reports
// missed goals and exits with 1 only when a row could not be measured.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import { run } from '../scripts/servers/run.js';
import type { Curve } from './growth/curve.ts';
import { drawPlots, measureGrowth } from './growth/growth.ts';
import { type Line, notMeasured } from './measurement.ts';
import { readBenchOptions, usage } from './options.ts';
import { summaryOf } from './profile.ts';
import { tableOf } from './report.ts';
import type { Bench, Row } from './row.ts';
import { rows } from './rows/index.ts';
import { simulationOf } from './scale/report.ts';
import { Stage } from './system/stage.ts';

const options = readBenchOptions();
const say = (line: string) => console.log(line);

/** Two seconds show that a row runs. A tenth of a second would end before the first connection. */
const quickSeconds = 2;

/** The shape of a curve needs less than a verdict: all of them take less than an hour. */
const growthRuns = 2;
const growthSeconds = 10;

async function measure(row: Row, bench: Bench): Promise<Line[]> {
  say(`row ${row.number}: ${row.title} ...`);
  try {
    return await row.measure(bench);
  } catch (error) {
    process.exitCode = 1;
    const remark = `failed: ${(error as Error).message}`;
    say(remark);
    return [notMeasured({ row: row.number, what: row.title, unit: '', goal: '', remark })];
  }
}

async function bench(): Promise<void> {
  const { isQuick, isCounting, isGrowth, stopped } = options;
  const unknown = options.rows.filter((number) => !rows.some((row) => row.number === number));
  if (!isGrowth && unknown.length > 0) throw new Error(`there is no row ${unknown.join(', ')}\n${usage}`);
  const selected = rows.filter(({ number }) => options.rows.length === 0 || options.rows.includes(number));

  const amount = (protocol: number) => (isQuick ? Math.ceil(protocol / 100) : protocol);
  const stage = new Stage({ amount, say, profiles: options.profiles, isCounting });
  const endEarly = () => void stage.close().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, endEarly);

  const runs = options.runs ?? (isQuick ? 1 : isGrowth ? growthRuns : 5);
  const longest = isQuick ? quickSeconds : isGrowth ? growthSeconds : Number.POSITIVE_INFINITY;
  const seconds = (protocol: number) => Math.min(longest, protocol);
  const context: Bench = { stage, isQuick, amount, say, stopped, runs, seconds };
  const lines: Line[] = [];
  const curves: Curve[] = [];
  try {
    if (isGrowth) curves.push(...(await measureGrowth(context, options.rows)));
    else for (const row of selected) lines.push(...(await measure(row, context)));
  } finally {
    await stage.close();
  }

  const machine = `${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const measured = await momentOf({ isQuick, isCounting });
  const table = isGrowth ? '' : `\n\n${tableOf(lines, measured)}`;
  say(`\n${machine}${table}`);
  if (isQuick)
    say('\n--quick: durations, amounts and number of runs differ from the protocol; the figures do not count.');
  if (options.profiles) say(`\n${summaryOf(options.profiles)}`);
  const json = { machine, measured, isQuick, ...(isGrowth ? { curves } : { lines }) };
  if (options.json) writeFileSync(options.json, `${JSON.stringify(json, null, 2)}\n`);
}

/** Date and commit of the measurement, and what makes its figures differ from the protocol. */
async function momentOf({ isQuick, isCounting }: { isQuick: boolean; isCounting: boolean }): Promise<string> {
  const commit = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname });
  const date = new Date().toISOString().slice(0, 10);
  return [
    ...[date, ...(commit.code === 0 ? [commit.output] : [])],
    ...[
      ...(isQuick ? ['quick'] : []),
      ...(options.runs ? [options.runs === 1 ? '1 run' : `${options.runs} runs`] : []),
      ...(isCounting ? ['statements counted'] : []),
    ],
  ].join(', ');
}

if (options.help) say(usage);
else if (options.simulated) say(simulationOf(options.simulated));
else if (options.plots) drawPlots(options.plots, path.resolve(import.meta.dirname, '../docs/images'));
else {
  try {
    await bench();
  } catch (error) {
    console.error(`the bench failed: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
