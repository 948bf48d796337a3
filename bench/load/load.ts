// Load comes from a process of its own, made for one job: the bench's memory and garbage do not reach it, nor its own the next job.
import { fork } from 'node:child_process';
import path from 'node:path';
import { machineEnvironment } from '../options.ts';

/** One request as it is sent every time. */
export interface LoadRequest {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Any other answer is an error. */
  status: number;
}

/** As many requests as so many connections carry, one at a time each. */
export interface Throughput {
  kind: 'throughput';
  request: LoadRequest;
  connections: number;
  warmupSeconds: number;
  seconds: number;
  /** The process that answers, when its CPU time is wanted. */
  pid?: number | undefined;
}

/** The same with PATCHes, each connection going round in flags of its own; every one changes the description. */
export interface Patches {
  kind: 'patches';
  /** The address of a project's flags. */
  url: string;
  token: string;
  flags: string[];
  connections: number;
  warmupSeconds: number;
  seconds: number;
}

/** Requests one after the other on one connection. */
export interface Latencies {
  kind: 'latencies';
  /** Asked in turn, over and over, until `count` were answered. */
  requests: LoadRequest[];
  warmup: number;
  count: number;
}

/** Changes at a steady rate, and when each is seen where it should be seen. */
export interface Propagation {
  kind: 'propagation';
  gateways: string[];
  adminToken: string;
  sdkToken: string;
  flags: string[];
  writesPerSecond: number;
  pollers: number;
  warmupSeconds: number;
  seconds: number;
}

export type Job = Throughput | Patches | Latencies | Propagation;

/** How many were answered as they should, and in how many seconds. */
export interface Counted {
  count: number;
  seconds: number;
  /** Answered in the warm-up and at its end, which changes things too. */
  before: number;
  /** User and system time of the process `pid` meanwhile; 0 when none was named. */
  cpuSeconds: number;
}

/** Milliseconds from the answer to a change until it was seen, one for each change, by the place where it was seen. */
export interface Seen {
  listing: number[];
  stream: number[];
  search: number[];
  webhook: number[];
}

export type Outcome<J extends Job> = J extends Throughput | Patches ? Counted : J extends Latencies ? number[] : Seen;

/** Does a job in a process of its own. Throws when a request failed or was answered other than it should. */
export function runLoad<J extends Job>(job: J): Promise<Outcome<J>> {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(import.meta.dirname, 'generator.ts'), {
      env: machineEnvironment(),
      serialization: 'advanced',
    });
    let answer: { outcome: Outcome<J> } | { error: string } = { error: 'the load generator ended without a word' };
    child.on('message', (message) => {
      answer = message as typeof answer;
    });
    child.on('error', reject);
    child.on('exit', () => ('error' in answer ? reject(new Error(answer.error)) : resolve(answer.outcome)));
    child.send(job);
  });
}
