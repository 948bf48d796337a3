// The callers beside an attack. Each request is due at a time and adds what it took to what was seen.
import { setTimeout as sleep } from 'node:timers/promises';
import { openEventStream } from '../load/event-stream.ts';
import { openListing } from '../load/listing-reader.ts';
import type { Api } from '../system/api.ts';
import { flagNames } from '../system/flags.ts';

/** A change that an SDK has not got by then failed. */
const arrivalLimitMs = 10_000;

/** What the callers saw, in milliseconds. */
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

/** An SDK that polls on one connection, which answers one poll at a time: one that is late makes the next ones late. */
export class PollingSdk {
  readonly #open: () => ReturnType<typeof openListing>;
  #reader: ReturnType<typeof openListing>;
  #reading: Promise<void> = Promise.resolve();

  constructor(url: string, token: string) {
    this.#open = () => openListing(url, token);
    this.#reader = this.#open();
  }

  /** Rejects when the answer is another one than the listing. */
  poll(dueAt: number, { polls }: Pick<Seen, 'polls'>): Promise<void> {
    const poll = this.#reading.then(async () => {
      const status = await this.#read();
      if (status !== 200) throw new Error(String(status));
      polls.push(performance.now() - dueAt);
    });
    this.#reading = poll.catch(() => undefined);
    return poll;
  }

  close(): void {
    this.#reader.close();
  }

  async #read(): Promise<number> {
    try {
      return (await this.#reader.read('')).status;
    } catch (error) {
      this.#reader.close();
      this.#reader = this.#open();
      throw error;
    }
  }
}

/** An SDK that streams, and knows when each change arrived. */
export class StreamingSdk {
  readonly #arrivals = new Map<string, number>();
  readonly #closing = new AbortController();
  /** Rejects when the stream ends before it is closed. */
  ended: Promise<void> = Promise.resolve();

  static async open(url: string, token: string): Promise<StreamingSdk> {
    const sdk = new StreamingSdk();
    const onData = (data: string) => {
      for (const [stamp] of data.matchAll(/stamp-\d+-\d+/g)) sdk.#arrivals.set(stamp, performance.now());
    };
    const stream = await openEventStream(`${url}/api/client/streaming`, token, onData, sdk.#closing.signal);
    sdk.ended = stream.ended;
    return sdk;
  }

  /** When the change with this stamp arrived. Rejects when it has not after ten seconds. */
  async arrivalOf(stamp: string): Promise<number> {
    const endsAt = performance.now() + arrivalLimitMs;
    for (;;) {
      const arrival = this.#arrivals.get(stamp);
      if (arrival !== undefined) return arrival;
      if (performance.now() > endsAt) throw new Error('did not arrive in 10 s');
      await sleep(10);
    }
  }

  close(): void {
    this.#closing.abort();
  }
}

/** Changes the n-th flag, and waits until the SDK has the change. */
export async function changeFlag(
  api: Api,
  sdk: StreamingSdk,
  { n, dueAt, seen }: { n: number; dueAt: number; seen: Pick<Seen, 'changes' | 'arrivals'> },
): Promise<void> {
  const stamp = `stamp-${Math.round(dueAt)}-${n}`;
  const value = [{ op: 'replace', path: '/description', value: stamp }];
  await api.call('PATCH', `/api/admin/projects/default/features/${flagNames[n % flagNames.length]}`, value);
  const answeredAt = performance.now();
  seen.changes.push(answeredAt - dueAt);
  seen.arrivals.push(Math.max(0, (await sdk.arrivalOf(stamp)) - answeredAt));
}

/** Reads one flag on a new connection. Rejects when the answer is another one than the flag. */
export async function connectAnew(
  url: string,
  token: string,
  dueAt: number,
  { connections }: Pick<Seen, 'connections'>,
): Promise<void> {
  const headers = { authorization: token, connection: 'close' };
  const response = await fetch(`${url}/api/client/features/${flagNames[0]}`, { headers });
  await response.text();
  if (response.status !== 200) throw new Error(String(response.status));
  connections.push(performance.now() - dueAt);
}
