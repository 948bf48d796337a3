// Signals at a steady rate. Each names another flag, which an action switches. The job measures from the answer to each
// signal until an SDK that streams has the flag in its new state. Everything runs in this process, so that there is one
// clock.
import { setTimeout as sleep } from 'node:timers/promises';
import { openEventStream } from './event-stream.ts';
import type { Switches } from './jobs.ts';
import { visibilityLimitMs } from './watch.ts';

/** What an action set reads of a signal's payload: a filter of `alert.state`, and the name of the flag. */
export interface SwitchingPayload {
  alert: { state: 'firing'; labels: { flag: string } };
}

interface Signal {
  flag: string;
  isMeasured: boolean;
  answeredAt: number | null;
  switchedAt: number | null;
}

/** An event of a stream, without the fields that are not read. */
interface Delta {
  events: { type: string; feature?: { name: string; enabled: boolean } }[];
}

/** Milliseconds from the answer to each signal until the flag was switched. Throws if one was not. */
export async function measureSwitches(job: Switches): Promise<number[]> {
  const signals = new Map<string, Signal>();
  const stopping = new AbortController();
  const url = `${job.gateway}/api/client/streaming`;
  const stream = await openEventStream(url, job.sdkToken, (data) => noteSwitches(data, job, signals), stopping.signal);
  const failures: Error[] = [];
  const addFailure = (error: Error) => void failures.push(error);
  const streamed = stream.ended.catch(addFailure);

  const pauseMs = 1_000 / job.signalsPerSecond;
  const startedAt = performance.now();
  const sent: Promise<void>[] = [];
  for (let n = 0; n * pauseMs < (job.warmupSeconds + job.seconds) * 1_000; n += 1) {
    // Signals are sent at fixed times, not after the previous answer: slow answers must not reduce the load.
    await sleep(Math.max(0, startedAt + n * pauseMs - performance.now()));
    const flag = job.flags[n];
    if (flag === undefined) throw new Error(`${job.flags.length} flags are too few for one signal each`);
    const isMeasured = n * pauseMs >= job.warmupSeconds * 1_000;
    const signal: Signal = { flag, isMeasured, answeredAt: null, switchedAt: null };
    signals.set(flag, signal);
    sent.push(send(job, n, signal).catch(addFailure));
  }
  await Promise.all(sent);
  const until = performance.now() + visibilityLimitMs;
  const unseen = () => [...signals.values()].filter(({ switchedAt }) => switchedAt === null);
  while (unseen().length > 0 && failures.length === 0 && performance.now() < until) await sleep(pauseMs);
  stopping.abort();
  await streamed;
  if (failures[0]) throw failures[0];
  const [first] = unseen();
  if (first) throw new Error(`${unseen().length} of ${signals.size} flags were not switched, such as ${first.flag}`);
  return [...signals.values()]
    .filter(({ isMeasured }) => isMeasured)
    .map(({ answeredAt, switchedAt }) => Math.max(0, switchedAt! - answeredAt!));
}

async function send({ gateway, endpoints }: Switches, n: number, signal: Signal): Promise<void> {
  const { name, token } = endpoints[n % endpoints.length]!;
  const payload: SwitchingPayload = { alert: { state: 'firing', labels: { flag: signal.flag } } };
  const response = await fetch(`${gateway}/api/signal-endpoint/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`a signal was answered with ${response.status}: ${body}`);
  signal.answeredAt = performance.now();
}

function noteSwitches(data: string, { isOn }: Switches, signals: ReadonlyMap<string, Signal>): void {
  const now = performance.now();
  for (const { feature } of (JSON.parse(data) as Delta).events) {
    const signal = feature?.enabled === isOn ? signals.get(feature.name) : undefined;
    if (signal) signal.switchedAt ??= now;
  }
}
