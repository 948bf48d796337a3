// The bench stops the process of events, publishes events to the stream, and continues the process. The time counts
// from the first event that integrations has read to the last. One baseline is the rate of these publishes, the other
// a second insert of the recorded rows.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@yardarm/shared/bus';
import { openCopies } from '../baselines/inserts.repo.ts';
import { atLeast, median, type Runs } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { type Intake, openIntake } from '../system/log.repo.ts';
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
/** The limit of a run, including the time until the recorder notices that it lost its lease while stopped. */
const runLimitMs = 10 * 60_000;

export const recording: Row = {
  number: '7',
  title: 'recording, from the stream to the log to the intake of integrations',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const path = await openPath(yardarm);
    const copies = await openCopies(yardarm.databaseUrl);
    const recorded: number[] = [];
    const published: number[] = [];
    const inserted: number[] = [];
    try {
      for (let run = 0; run < bench.runs; run += 1) {
        const from = await logSize(yardarm);
        const rates = await measureRecording(bench, yardarm, path, run);
        published.push(rates.publishing);
        recorded.push(rates.recording);
        inserted.push(await copies.insert({ afterId: from, batch: rowsPerInsert }));
      }
    } finally {
      await Promise.all([copies.close(), path.close()]);
    }
    const [slower, name] =
      median(inserted) < median(published) ? [inserted, '500 rows an insert'] : [published, 'pipelined publishes'];
    const both = `inserts ${Math.round(median(inserted))}/s, publishes ${Math.round(median(published))}/s`;
    const runs: Runs = { subject: recorded, baseline: slower };
    const named = { row: '7', what: 'recording', unit: 'events/s', remark: `baseline: ${name}, the slower of ${both}` };
    return [atLeast(0.5, runs, named)];
  },
};

/** The path of events whose speed is measured. */
export interface RecordingPath {
  bus: Bus;
  intake: Intake;
  /** The process of events. */
  pid: number;
  close(): Promise<void>;
}

export async function openPath(yardarm: Yardarm): Promise<RecordingPath> {
  const pid = yardarm.services().get('events');
  if (pid === undefined) throw new Error('the process of events was not found (Linux only)');
  const bus = await connectBench(yardarm);
  const intake = openIntake(yardarm.databaseUrl);
  // It wants none of these events, so that intake reads each and nothing is sent.
  const webhook = await yardarm.api.makeWebhook('http://127.0.0.1:1');
  return {
    ...{ bus, intake, pid },
    async close() {
      await yardarm.api.call('DELETE', `/api/admin/addons/${webhook}`);
      await Promise.all([intake.close(), bus.drain()]);
    },
  };
}

/** The events per second that were published, and that were recorded and read by integrations. */
export async function measureRecording(
  bench: Bench,
  yardarm: Yardarm,
  { bus, intake, pid }: RecordingPath,
  run: number,
) {
  const count = bench.isQuick ? eventsPerTrial : eventsPerRun;
  const target = (await logSize(yardarm)) + count;
  const before = target - count;
  process.kill(pid, 'SIGSTOP');
  let publishing: number;
  try {
    publishing = count / (await publishEvents(bus, run * count, count));
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const until = Date.now() + runLimitMs;
  let read = before;
  while (read <= before && Date.now() < until) {
    await sleep(pollMs);
    read = await intake.position();
  }
  const first = { read, at: performance.now() };
  while (read < target && Date.now() < until) {
    await sleep(pollMs);
    read = await intake.position();
  }
  const seconds = (performance.now() - first.at) / 1_000;
  if (read < target) throw new Error(`integrations has read only ${read - before} of ${count} events`);
  // The events that the first poll counted were read before the time began.
  return { publishing, recording: (read - first.read) / seconds };
}
