// Every change writes a unique text into a flag's description. The job looks for the text in the listings that pollers
// read from each gateway, in each gateway's event stream, in the search of the log and in the requests to a webhook.
// Everything runs in this process, so that there is one clock.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../system/api.ts';
import { openListing } from './listing-reader.ts';
import type { Propagation, Seen } from './load.ts';

/**
 * The interval of one poller. With ten pollers per gateway, spread over the interval, a gateway is polled every 25 ms.
 * SDKs poll every 15 s. A shorter interval would itself be a considerable load.
 */
const pollMs = 250;
/** One change in five is searched for: searches for each would be more load than the changes. */
const searchEvery = 5;
/** The pause between two searches for the same change. A shorter one would itself be a considerable load. */
const searchPauseMs = 20;
/** A change that is not visible by then counts as missing. */
const visibilityLimitMs = 10_000;

interface Change {
  stamp: string;
  flag: string;
  /** When the PATCH was answered, by performance.now(); null until then. */
  answeredAt: number | null;
  isMeasured: boolean;
  /** When each gateway first listed it, when each streamed its event, and when the webhook got it. */
  listedAt: (number | null)[];
  streamedAt: (number | null)[];
  webhookAt: number | null;
  searchedAt: number | null;
  isSearched: boolean;
}

/** The part of a webhook's or stream's event that identifies a change. */
interface EventOfChange {
  data: { description?: string } | null;
}

/** The changes, and where each has become visible. */
class Watch {
  readonly changes: Change[] = [];
  readonly #unlisted: Set<Change>[];

  constructor(gateways: number) {
    this.#unlisted = Array.from({ length: gateways }, () => new Set());
  }

  add(change: Change): void {
    this.changes.push(change);
    for (const unlisted of this.#unlisted) unlisted.add(change);
  }

  /**
   * Notes a complete listing of a gateway. A later change of the same flag would hide an earlier one, but changes cycle
   * through all flags, so the next one comes too late to hide it.
   */
  sawListing(gateway: number, listing: Buffer): void {
    const now = performance.now();
    for (const change of this.#unlisted[gateway]!) {
      if (!listing.includes(change.stamp)) continue;
      change.listedAt[gateway] = now;
      this.#unlisted[gateway]!.delete(change);
    }
  }

  sawStreamed(gateway: number, event: EventOfChange): void {
    const change = this.#changeOf(event);
    if (change) change.streamedAt[gateway] ??= performance.now();
  }

  sawWebhook(event: EventOfChange): void {
    const change = this.#changeOf(event);
    if (change) change.webhookAt ??= performance.now();
  }

  /** Other events have no data or no description. */
  #changeOf(event: EventOfChange): Change | undefined {
    return this.changes.find(({ stamp }) => stamp === event.data?.description);
  }

  isComplete(): boolean {
    return this.changes.every(
      ({ answeredAt, listedAt, streamedAt, webhookAt, searchedAt, isSearched }) =>
        answeredAt !== null &&
        ![...listedAt, ...streamedAt, webhookAt].includes(null) &&
        (!isSearched || searchedAt !== null),
    );
  }
}

/** Makes changes at a steady rate and measures how long after its answer each became visible. */
export async function measurePropagation(job: Propagation): Promise<Seen> {
  const api = new Api(job.gateways[0]!, job.adminToken);
  const watch = new Watch(job.gateways.length);
  const receiver = await startReceiver((body) => watch.sawWebhook(JSON.parse(body)));
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const addon = await api.makeWebhook(hook);
  const failures: Error[] = [];
  const addFailure = (error: Error) => void failures.push(error);
  const stopping = new AbortController();
  const pollers = Array.from({ length: job.pollers }, (_, n) => poll(job, n, watch, stopping.signal).catch(addFailure));
  // Opened before the first change: a stream begins with the next event.
  const streams = await Promise.all(job.gateways.map((url) => openStream(url, job.adminToken, stopping.signal)));
  const streamed = streams.map((stream, gateway) =>
    readStream(stream, (event) => watch.sawStreamed(gateway, event), stopping.signal).catch(addFailure),
  );

  const pauseMs = 1_000 / job.writesPerSecond;
  const startedAt = performance.now();
  const writes: Promise<void>[] = [];
  for (let n = 0; n * pauseMs < (job.warmupSeconds + job.seconds) * 1_000; n += 1) {
    // Changes start at fixed times, not after the previous answer: slow answers must not reduce the load.
    await sleep(Math.max(0, startedAt + n * pauseMs - performance.now()));
    const isMeasured = n * pauseMs >= job.warmupSeconds * 1_000;
    const change = changeOf(n, job.flags[n % job.flags.length]!, isMeasured, job.gateways.length);
    watch.add(change);
    writes.push(write(api, change).catch(addFailure));
  }
  const until = performance.now() + visibilityLimitMs;
  while (!watch.isComplete() && failures.length === 0 && performance.now() < until) await sleep(pollMs);
  stopping.abort();
  await Promise.all([...writes, ...pollers, ...streamed]);
  await api.call('DELETE', `/api/admin/addons/${addon}`);
  receiver.closeAllConnections();
  receiver.close();
  if (failures[0]) throw failures[0];
  const changes = watch.changes.filter(({ isMeasured }) => isMeasured);
  throwIfUnseen(changes, job.gateways);
  return delaysOf(changes);
}

function changeOf(n: number, flag: string, isMeasured: boolean, gateways: number): Change {
  const perGateway = { listedAt: Array(gateways).fill(null), streamedAt: Array(gateways).fill(null) };
  const unseen = { answeredAt: null, webhookAt: null, searchedAt: null, ...perGateway };
  // The text contains the process id: the text of an earlier run would be no change.
  return { stamp: `stamp-${process.pid}-${n}-end`, flag, isMeasured, isSearched: n % searchEvery === 0, ...unseen };
}

async function write(api: Api, change: Change): Promise<void> {
  const { flag } = change;
  const patch = [{ op: 'replace', path: '/description', value: change.stamp }];
  await api.call('PATCH', `/api/admin/projects/default/features/${flag}`, patch);
  change.answeredAt = performance.now();
  if (!change.isSearched) return;
  while (performance.now() < change.answeredAt + visibilityLimitMs) {
    const { events } = await api.search({ feature: flag, limit: 1 });
    if (JSON.stringify(events).includes(change.stamp)) {
      change.searchedAt = performance.now();
      return;
    }
    await sleep(searchPauseMs);
  }
}

/** Runs the `n`th poller, which like an SDK sends the ETag of its last listing. */
async function poll(job: Propagation, n: number, watch: Watch, signal: AbortSignal): Promise<void> {
  const gateway = n % job.gateways.length;
  // The pollers are spread over the interval.
  await sleep((pollMs * n) / job.pollers);
  const listing = openListing(job.gateways[gateway]!, job.sdkToken);
  let etag = '';
  while (!signal.aborted) {
    const startedAt = performance.now();
    const { status, body, ...answer } = await listing.read(etag);
    if (status === 200) {
      etag = answer.etag;
      watch.sawListing(gateway, body);
    } else if (status !== 304) throw new Error(`a listing answered ${status}: ${body}`);
    await sleep(Math.max(0, startedAt + pollMs - performance.now()));
  }
  listing.close();
}

async function startReceiver(onBody: (body: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      onBody(body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function openStream(gateway: string, token: string, signal: AbortSignal): Promise<ReadableStream<string>> {
  const response = await fetch(`${gateway}/api/admin/events/stream`, { headers: { authorization: token }, signal });
  if (response.status !== 200)
    throw new Error(`the event stream answered ${response.status}: ${await response.text()}`);
  // Piped at once: fetch ends an unread body when its Response is garbage-collected.
  return response.body!.pipeThrough(new TextDecoderStream());
}

/** Reads server-sent events until the signal aborts. Throws when the stream ends before. */
async function readStream(
  stream: ReadableStream<string>,
  onEvent: (event: EventOfChange) => void,
  signal: AbortSignal,
): Promise<void> {
  let text = '';
  try {
    for await (const part of stream) {
      const blocks = (text + part).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) onEvent(JSON.parse(data));
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (!signal.aborted) throw new Error('the event stream ended');
}

/** The error names at most this many missing changes and counts the rest. */
const maxNamed = 10;

/** Throws when a change did not become visible somewhere; the error names it and the place. */
function throwIfUnseen(changes: readonly Change[], gateways: readonly string[]): void {
  const unseen = changes.flatMap((change) => {
    const { stamp, flag, answeredAt, listedAt, streamedAt, webhookAt, searchedAt, isSearched } = change;
    const missing = [
      ...(answeredAt === null ? ['in an answer to its PATCH'] : []),
      ...gateways.filter((_, n) => listedAt[n] === null).map((url) => `in a listing of ${url}`),
      ...gateways.filter((_, n) => streamedAt[n] === null).map((url) => `in the event stream of ${url}`),
      ...(webhookAt === null ? ['at the webhook'] : []),
      ...(isSearched && searchedAt === null ? ['by a search'] : []),
    ];
    return missing.map((place) => `${stamp} of ${flag} ${place}`);
  });
  if (unseen.length === 0) return;
  const rest = unseen.length > maxNamed ? [`and ${unseen.length - maxNamed} more`] : [];
  const named = [...unseen.slice(0, maxNamed), ...rest].join('; ');
  throw new Error(`some of ${changes.length} changes were not visible within ${visibilityLimitMs / 1_000} s: ${named}`);
}

/** Delays of changes that are visible everywhere: 0 if visible before the answer; the later one of several gateways. */
function delaysOf(changes: readonly Change[]): Seen {
  const since = ({ answeredAt }: Change, ...seenAt: (number | null)[]) =>
    Math.max(0, ...seenAt.map((at) => at! - answeredAt!));
  return {
    listing: changes.map((change) => since(change, ...change.listedAt)),
    stream: changes.map((change) => since(change, ...change.streamedAt)),
    search: changes.filter(({ isSearched }) => isSearched).map((change) => since(change, change.searchedAt)),
    webhook: changes.map((change) => since(change, change.webhookAt)),
  };
}
