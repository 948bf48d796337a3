import { setTimeout as sleep } from 'node:timers/promises';
import { proportionalSize } from '../system/memory.ts';
import type { Yardarm } from '../system/yardarm.ts';
import { changeFlag, connectAnew, PollingSdk, type Seen, StreamingSdk } from './callers.ts';

/** As 375 SDKs that poll every 15 s. Each poll is answered with the whole listing of 1,000 flags. */
const pollsPerSecond = 25;

/** A person or a script that switches flags. */
const changesPerSecond = 4;

/** The callers whose requests an attack should not delay, and the gateway's process. */
export interface Bystanders {
  yardarm: Yardarm;
  /** Of one project: flags that an attacker makes in another one are not in its listings. */
  sdkToken: string;
  pid: number;
  polling: PollingSdk;
  streaming: StreamingSdk;
}

/** The SDKs connect before an attack begins: the clients that connect beside it are measured by themselves. */
export async function openBystanders(callers: Pick<Bystanders, 'yardarm' | 'sdkToken' | 'pid'>): Promise<Bystanders> {
  const { yardarm, sdkToken } = callers;
  const streaming = await StreamingSdk.open(yardarm.url, sdkToken);
  // `watch` reports it.
  streaming.ended.catch(() => undefined);
  return { ...callers, streaming, polling: new PollingSdk(yardarm.url, sdkToken) };
}

export function closeBystanders({ polling, streaming }: Bystanders): void {
  polling.close();
  streaming.close();
}

/**
 * For so many seconds, an SDK polls the listing, another one streams, changes are made, and clients connect. Requests
 * begin at fixed times, so that slow answers do not reduce their number.
 */
export async function watch(bystanders: Bystanders, seconds: number): Promise<Seen> {
  const { yardarm, sdkToken, pid, polling, streaming } = bystanders;
  const { url, api } = yardarm;
  const seen: Seen = {
    ...{ polls: [], changes: [], arrivals: [], connections: [] },
    ...{ failures: new Map(), maxMegabytes: 0 },
  };
  const running: Promise<void>[] = [];
  const run = (what: string, work: Promise<void>) => {
    running.push(work.catch((error: unknown) => countFailure(seen, what, error)));
  };
  run('the stream', streaming.ended);
  const pollsPerChange = Math.round(pollsPerSecond / changesPerSecond);
  const startedAt = performance.now();
  for (let n = 0; n < seconds * pollsPerSecond; n += 1) {
    const dueAt = startedAt + (n * 1_000) / pollsPerSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    run('a poll', polling.poll(dueAt, seen));
    if (n % pollsPerChange === 0) run('a change', changeFlag(api, streaming, { n, dueAt, seen }));
    if (n % pollsPerChange === 2) run('a new connection', connectAnew(url, sdkToken, dueAt, seen));
    if (n % pollsPerSecond === 0) seen.maxMegabytes = Math.max(seen.maxMegabytes, proportionalSize(pid));
  }
  // The first one is the stream, which ends when it is closed.
  await Promise.all(running.slice(1));
  return seen;
}

function countFailure({ failures }: Seen, what: string, error: unknown): void {
  const text = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  failures.set(text, (failures.get(text) ?? 0) + 1);
}
