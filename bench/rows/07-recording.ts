// Events are put into the stream while events' process stands still; then it goes on, and the time counts from the first event that it
// relays to the last. Filling the stream is itself one of the two baselines, inserting the recorded rows once more the other.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@yardarm/shared/bus';
import { openCopies } from '../baselines/inserts.repo.ts';
import { atLeast, median, type Runs } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { connectBench, logSize, publishEvents } from '../system/log.ts';
import type { Yardarm } from '../system/yardarm.ts';

/** Ten seconds and more of work for the recorder. */
const eventsPerRun = 50_000;
/** Ten batches: fewer say nothing even for trying. */
const eventsOfATry = 5_000;

/** The goal's. */
const rowsPerInsert = 500;

/** Beside it, what looking costs and misses is nothing: a run takes ten seconds. */
const lookEveryMs = 10;
/** Recorder and relay have this long for a run; also until they have found that their lease has gone while they stood. */
const runLimitMs = 10 * 60_000;

export const recording: Row = {
  number: '7',
  title: 'recording, from the stream to the log to RECORDED',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const pid = yardarm.services().get('events');
    if (pid === undefined) throw new Error('the process of events cannot be found (Linux only)');
    const bus = await connectBench(yardarm);
    const copies = await openCopies(yardarm.databaseUrl);
    const recorded: number[] = [];
    const published: number[] = [];
    const inserted: number[] = [];
    try {
      for (let run = 0; run < bench.runs; run += 1) {
        const from = await logSize(yardarm);
        const { publishing, recording: took } = await record(bench, yardarm, bus, pid, run);
        published.push(publishing);
        recorded.push(took);
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

/** Events per second published, and then recorded and relayed. */
async function record(bench: Bench, yardarm: Yardarm, bus: Bus, pid: number, run: number) {
  const count = bench.isQuick ? eventsOfATry : eventsPerRun;
  const target = (await logSize(yardarm)) + count;
  const relayed = async () => (await bus.streamInfo('RECORDED')).lastSequence;
  const before = await relayed();
  process.kill(pid, 'SIGSTOP');
  let publishing: number;
  try {
    publishing = count / (await publishEvents(bus, run * count, count));
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const until = Date.now() + runLimitMs;
  let now = before;
  while (now === before && Date.now() < until) {
    await sleep(lookEveryMs);
    now = await relayed();
  }
  const first = { relayed: now, at: performance.now() };
  while (now < before + count && Date.now() < until) {
    await sleep(lookEveryMs);
    now = await relayed();
  }
  const seconds = (performance.now() - first.at) / 1_000;
  if (now < before + count) throw new Error(`only ${now - before} of ${count} events were relayed`);
  const logged = await logSize(yardarm);
  if (logged < target) throw new Error(`${now - before} events were relayed, but the log lacks ${target - logged}`);
  // What had been relayed at the first look was done before the clock ran.
  return { publishing, recording: (now - first.relayed) / seconds };
}
