// The jobs of load, and what each returns.

export interface LoadRequest {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  status: number;
}

/** In the body of a throughput's request: a text that differs in every request. */
export const uniqueText = '[<id>]';

/** Sends as many requests as possible, one at a time on each connection. */
export interface Throughput {
  kind: 'throughput';
  request: LoadRequest;
  /** Further ones with the same status. Each connection sends one of all again and again. */
  others?: LoadRequest[];
  connections: number;
  warmupSeconds: number;
  seconds: number;
  /** The process whose CPU time is measured. */
  pid?: number | undefined;
}

/** The same with PATCHes. Each connection cycles through its own flags; every PATCH changes the description. */
export interface Patches {
  kind: 'patches';
  url: string;
  token: string;
  flags: string[];
  connections: number;
  warmupSeconds: number;
  seconds: number;
}

/** Creates flags as fast as the server answers. */
export interface Creations {
  kind: 'creations';
  url: string;
  token: string;
  /** Of the names of the flags. */
  prefix: string;
  status: number;
  connections: number;
  warmup: number;
  amount: number;
}

/** Switches flags that are on in the environment, as fast as the server answers. */
export interface FlagSwitches {
  kind: 'flag-switches';
  url: string;
  token: string;
  flags: string[];
  environment: string;
  connections: number;
  warmupSeconds: number;
  seconds: number;
}

export interface Latencies {
  kind: 'latencies';
  /** Sent in a cycle until `count` are answered. */
  requests: LoadRequest[];
  warmup: number;
  count: number;
  /** Ends the job earlier than `count`, this long after the warm-up. */
  seconds?: number;
}

/** Signals at a steady rate, each of which makes an action switch another flag. */
export interface Switches {
  kind: 'switches';
  gateway: string;
  sdkToken: string;
  endpoints: { name: string; token: string }[];
  /** One for each signal. */
  flags: string[];
  /** What the actions make of the flags. */
  isOn: boolean;
  signalsPerSecond: number;
  warmupSeconds: number;
  seconds: number;
}

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

/** SDKs that stream from one gateway, while flags change. */
export interface Streams {
  kind: 'streams';
  gateway: string;
  /** The gateway's process, whose memory is measured. */
  pid: number;
  /** The processes whose CPU time is measured. */
  cpuOf: number[];
  adminToken: string;
  sdkToken: string;
  project: string;
  flags: string[];
  /** Whether an SDK that polls requests the whole listing once a second. */
  isListingRead: boolean;
  clients: number;
  /** How many of them never read. */
  silentClients: number;
  changesPerSecond: number;
  warmupSeconds: number;
  seconds: number;
}

/** SDKs that stream and poll, one for each token, while a flag changes every second. */
export interface Sdks {
  kind: 'sdks';
  gateway: string;
  tokens: string[];
  adminToken: string;
  project: string;
  flags: string[];
  seconds: number;
}

/** Evaluates flags in the process, without a server. */
export interface Evaluations {
  kind: 'evaluations';
  by: 'yardarm' | 'unleash-client';
  warmupSeconds: number;
  seconds: number;
}

export type Job =
  | Throughput
  | Patches
  | Creations
  | FlagSwitches
  | Latencies
  | Switches
  | Propagation
  | Streams
  | Sdks
  | Evaluations;

/** The number of expected answers and the seconds that they took. */
export interface Counted {
  count: number;
  seconds: number;
  /** Answers of the warm-up, whose requests change data too. */
  warmupCount: number;
  /** User and system time of the process `pid` in these seconds; 0 without a `pid`. */
  cpuSeconds: number;
}

/** Milliseconds from each request to its answer. */
export interface Latency {
  toFirstByte: number[];
  toLastByte: number[];
}

/** Milliseconds from the answer to each change until it was visible, by place. */
export interface Seen {
  listing: number[];
  sdkStream: number[];
  stream: number[];
  search: number[];
  webhook: number[];
}

export interface Streamed {
  /** Milliseconds from the answer to each change until it arrived, for each SDK that reads. */
  delays: number[];
  /** The memory of the gateway with the streams, less that before. */
  addedMegabytes: number;
  /** User and system time of the processes `cpuOf` after the warm-up, divided by the number of changes. */
  cpuMsPerChange: number;
}

export type Outcome<J extends Job> = J extends Throughput | Patches | Creations | FlagSwitches
  ? Counted
  : J extends Latencies
    ? Latency
    : J extends Switches
      ? number[]
      : J extends Evaluations | Sdks
        ? number
        : J extends Streams
          ? Streamed
          : Seen;
