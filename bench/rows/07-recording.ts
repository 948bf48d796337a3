// The bench stops the process of events, publishes events to the stream, and continues the process. The time counts
// from the first relayed event to the last. One baseline is the rate of these publishes, the other a second insert of
// the recorded rows.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@yardarm/shared/bus';
import { openCopies } from '../baselines/inserts.repo.ts';
import { atLeast, median, type Runs } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { connectBench, logSize, publishEvents } from '../system/log.ts';
import type { Yardarm } from '../system/yardarm.ts';

/** More than ten seconds of work for the recorder. */
const eventsPerRun = 50_000;
/** Ten batches: the minimum for a trial. */
const eventsPerTrial = 5_000;

/** From the goal. */
export const rowsPerInsert = 500;

/** A run takes ten seconds, so the cost and the error of this poll are negligible. */
const pollMs = 10;
/** The limit of a run, including the time until recorder and relay notice that they lost their lease while stopped. */
const runLimitMs = 10 * 60_000;

export const recording: Row = {
  number: '7',
  title: 'recording, from the stream to the log to RECORDED',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const pid = yardarm.services().get('events');
    if (pid === undefined) throw new Error('the process of events was not found (Linux only)');
    const bus = await connectBench(yardarm);
    const copies = await openCopies(yardarm.databaseUrl);
    const recorded: number[] = [];
    const published: number[] = [];
    const inserted: number[] = [];
    try {
      for (let run = 0; run < bench.runs; run += 1) {
        const from = await logSize(yardarm);
        const rates = await measureRecording(bench, yardarm, bus, pid, run);
        published.push(rates.publishing);
        recorded.push(rates.recording);
        inserted.push(await copies.insert({ afterId: from, batch: rowsPerInsert }));
      }
    } finally {
      await copies.close();
      await bus.drain();
    }
    const [slower, name] =
      median(inserted) < median(published) ? [inserted, '500 rows an insert'] : [published, 'pipelined publishes'];
    const both = `inserts ${Math.round(median(inserted))}/s, publishes ${Math.round(median(published))}/s`;
    const runs: Runs = { subject: recorded, baseline: slower };
    const named = { row: '7', what: 'recording', unit: 'events/s', remark: `baseline: ${name}, the slower of ${both}` };
    return [atLeast(0.5, runs, named)];
  },
};

/** The events per second that were published, and that were recorded and relayed. */
export async function measureRecording(bench: Bench, yardarm: Yardarm, bus: Bus, pid: number, run: number) {
  const count = bench.isQuick ? eventsPerTrial : eventsPerRun;
  const target = (await logSize(yardarm)) + count;
  const countRelayed = async () => (await bus.streamInfo('RECORDED')).lastSequence;
  const before = await countRelayed();
  process.kill(pid, 'SIGSTOP');
  let publishing: number;
  try {
    publishing = count / (await publishEvents(bus, run * count, count));
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const until = Date.now() + runLimitMs;
  let relayed = before;
  while (relayed === before && Date.now() < until) {
    await sleep(pollMs);
    relayed = await countRelayed();
  }
  const first = { relayed, at: performance.now() };
  while (relayed < before + count && Date.now() < until) {
    await sleep(pollMs);
    relayed = await countRelayed();
  }
  const seconds = (performance.now() - first.at) / 1_000;
  if (relayed < before + count) throw new Error(`only ${relayed - before} of ${count} events were relayed`);
  const logged = await logSize(yardarm);
  if (logged < target) throw new Error(`${relayed - before} events were relayed, but the log lacks ${target - logged}`);
  // The events that the first poll counted were relayed before the time began.
  return { publishing, recording: (relayed - first.relayed) / seconds };
}
