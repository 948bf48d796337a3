import { setTimeout as sleep } from 'node:timers/promises';
import { openEventStream } from '../load/event-stream.ts';
import { openListing } from '../load/listing-reader.ts';
import { flagNames } from '../system/flags.ts';
import { proportionalSize } from '../system/memory.ts';
import type { Yardarm } from '../system/yardarm.ts';

/** As 375 SDKs that poll every 15 s. Each poll is answered with the whole listing of 1,000 flags. */
const pollsPerSecond = 25;

/** A person or a script that switches flags. */
const changesPerSecond = 4;

/** A change that an SDK has not got by then failed. */
const arrivalLimitMs = 10_000;

/** What the callers beside an attack saw, in milliseconds. */
export interface Seen {
  /** From the time at which a poll was due to its answer. */
  polls: number[];
  /** From the beginning of a change to its answer. */
  changes: number[];
  /** From that answer until an SDK that streams has the change. */
  arrivals: number[];
  /** From the beginning of a new connection to the answer of one flag. */
  connections: number[];
  /** What went wrong, with how often it did. */
  failures: Map<string, number>;
  maxMegabytes: number;
}

/** The callers whose requests an attack should not delay, and the gateway's process. */
export interface Bystanders {
  yardarm: Yardarm;
  /** Of one project: flags that an attacker makes in another one are not in its listings. */
  sdkToken: string;
  pid: number;
}

/**
 * For so many seconds, an SDK polls the listing, another one streams, changes are made, and clients connect. Requests
 * begin at fixed times, so that slow answers do not reduce their number.
 */
export async function watch({ yardarm, sdkToken, pid }: Bystanders, seconds: number): Promise<Seen> {
  const { url, api } = yardarm;
  const failures = new Map<string, number>();
  const seen: Seen = { polls: [], changes: [], arrivals: [], connections: [], failures, maxMegabytes: 0 };
  const fail = (what: string, error: unknown) => {
    const text = `${what}: ${error instanceof Error ? error.message : String(error)}`;
    failures.set(text, (failures.get(text) ?? 0) + 1);
  };
  const stopping = new AbortController();
  const arrivals = new Map<string, number>();
  const onData = (data: string) => {
    for (const [stamp] of data.matchAll(/stamp-\d+-\d+/g)) arrivals.set(stamp, performance.now());
  };
  const stream = await openEventStream(`${url}/api/client/streaming`, sdkToken, onData, stopping.signal);
  stream.ended.catch((error) => fail('the stream', error));
  const reader = openListing(url, sdkToken);
  let reading: Promise<void> = Promise.resolve();

  const poll = (dueAt: number) => {
    // A connection answers one poll at a time. One that is late makes the next ones late too.
    reading = reading.then(async () => {
      const { status } = await reader.read('');
      if (status === 200) seen.polls.push(performance.now() - dueAt);
      else fail('a poll', status);
    });
    return reading;
  };
  const change = async (dueAt: number, n: number) => {
    const stamp = `stamp-${Math.round(dueAt)}-${n}`;
    const value = [{ op: 'replace', path: '/description', value: stamp }];
    await api.call('PATCH', `/api/admin/projects/default/features/${flagNames[n % flagNames.length]}`, value);
    const answeredAt = performance.now();
    seen.changes.push(answeredAt - dueAt);
    while (!arrivals.has(stamp)) {
      if (performance.now() - answeredAt > arrivalLimitMs) throw new Error('did not arrive in 10 s');
      await sleep(10);
    }
    seen.arrivals.push(Math.max(0, arrivals.get(stamp)! - answeredAt));
  };
  const connect = async (dueAt: number) => {
    const headers = { authorization: sdkToken, connection: 'close' };
    const response = await fetch(`${url}/api/client/features/${flagNames[0]}`, { headers });
    await response.text();
    if (response.status !== 200) throw new Error(String(response.status));
    seen.connections.push(performance.now() - dueAt);
  };

  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  const run = (what: string, work: Promise<void>) => {
    running.push(work.catch((error) => fail(what, error)));
  };
  const pollsPerChange = Math.round(pollsPerSecond / changesPerSecond);
  for (let n = 0; n < seconds * pollsPerSecond; n += 1) {
    const dueAt = startedAt + (n * 1_000) / pollsPerSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    run('a poll', poll(dueAt));
    if (n % pollsPerChange === 0) run('a change', change(dueAt, n));
    if (n % pollsPerChange === 2) run('a new connection', connect(dueAt));
    if (n % pollsPerSecond === 0) seen.maxMegabytes = Math.max(seen.maxMegabytes, proportionalSize(pid));
  }
  await Promise.all(running);
  stopping.abort();
  reader.close();
  return seen;
}
