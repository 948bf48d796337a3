// Every change writes a text into a flag's description that occurs nowhere else, and looks for it: in what pollers get of the listing
// of each gateway, in what each gateway's event stream sends, in the log's search, and in what a webhook brings. All in this process, so
// that there is one clock.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../system/api.ts';
import { openListing } from './listing-reader.ts';
import type { Propagation, Seen } from './load.ts';

/**
 * How often one poller looks: with ten on a gateway, spread, somebody looks every 25 ms. SDKs look every 15 s; more often than this, and the
 * looking is a load of its own.
 */
const pollMs = 250;
/** One change in five is searched for: asking for each would be more load than the changes. */
const searchEvery = 5;
/** Between two searches for the same change: more often, and the looking is a load of its own. */
const searchPauseMs = 20;
/** What was not seen by then is not seen. */
const sightLimitMs = 10_000;

interface Change {
  stamp: string;
  flag: string;
  /** When the PATCH was answered, on performance.now()'s clock; null until then. */
  answeredAt: number | null;
  isMeasured: boolean;
  /** When each gateway listed it first, when each sent its event, and when the webhook came. */
  listedAt: (number | null)[];
  streamedAt: (number | null)[];
  webhookAt: number | null;
  searchedAt: number | null;
  isSearched: boolean;
}

/** Of an event as the webhook and the event stream bring it, where a change is recognised. */
interface EventOfChange {
  data: { description?: string } | null;
}

/** Changes under way, and what was seen of them. */
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

  /** A listing of a gateway has arrived whole. A later change of the same flag hides an earlier one; flags take turns, so none does in time. */
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

  /** Events of other things have none, or no description. */
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

/** Makes changes at a steady rate for the time asked and tells how long after its answer each was seen. */
export async function measurePropagation(job: Propagation): Promise<Seen> {
  const api = new Api(job.gateways[0]!, job.adminToken);
  const watch = new Watch(job.gateways.length);
  const receiver = await startReceiver((body) => watch.sawWebhook(JSON.parse(body)));
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const addon = await api.makeWebhook(hook);
  const failures: Error[] = [];
  const failed = (error: Error) => void failures.push(error);
  const stopping = new AbortController();
  const pollers = Array.from({ length: job.pollers }, (_, n) => poll(job, n, watch, stopping.signal).catch(failed));
  // Open before the first change: they begin with what comes next.
  const streams = await Promise.all(job.gateways.map((url) => openStream(url, job.adminToken, stopping.signal)));
  const streamed = streams.map((stream, gateway) =>
    readStream(stream, (event) => watch.sawStreamed(gateway, event), stopping.signal).catch(failed),
  );

  const pauseMs = 1_000 / job.writesPerSecond;
  const startedAt = performance.now();
  const writes: Promise<void>[] = [];
  for (let n = 0; n * pauseMs < (job.warmupSeconds + job.seconds) * 1_000; n += 1) {
    // At the times that the rate asks for, not so long after the last: a slow answer must not thin out the load.
    await sleep(Math.max(0, startedAt + n * pauseMs - performance.now()));
    const isMeasured = n * pauseMs >= job.warmupSeconds * 1_000;
    const change = changeOf(n, job.flags[n % job.flags.length]!, isMeasured, job.gateways.length);
    watch.add(change);
    writes.push(write(api, change).catch(failed));
  }
  const until = performance.now() + sightLimitMs;
  while (!watch.isComplete() && failures.length === 0 && performance.now() < until) await sleep(pollMs);
  stopping.abort();
  await Promise.all([...writes, ...pollers, ...streamed]);
  await api.call('DELETE', `/api/admin/addons/${addon}`);
  receiver.closeAllConnections();
  receiver.close();
  if (failures[0]) throw failures[0];
  const changes = watch.changes.filter(({ isMeasured }) => isMeasured);
  refuseUnseen(changes, job.gateways);
  return sightsOf(changes);
}

function changeOf(n: number, flag: string, isMeasured: boolean, gateways: number): Change {
  const nowhere = { listedAt: Array(gateways).fill(null), streamedAt: Array(gateways).fill(null) };
  const unseen = { answeredAt: null, webhookAt: null, searchedAt: null, ...nowhere };
  // The process is in it: an earlier run's text written once more would be no change.
  return { stamp: `stamp-${process.pid}-${n}-end`, flag, isMeasured, isSearched: n % searchEvery === 0, ...unseen };
}

async function write(api: Api, change: Change): Promise<void> {
  const { flag } = change;
  const patch = [{ op: 'replace', path: '/description', value: change.stamp }];
  await api.call('PATCH', `/api/admin/projects/default/features/${flag}`, patch);
  change.answeredAt = performance.now();
  if (!change.isSearched) return;
  while (performance.now() < change.answeredAt + sightLimitMs) {
    const { events } = await api.search({ feature: flag, limit: 1 });
    if (JSON.stringify(events).includes(change.stamp)) {
      change.searchedAt = performance.now();
      return;
    }
    await sleep(searchPauseMs);
  }
}

/** One SDK-like poller, the `n`th: with the ETag of what it has. */
async function poll(job: Propagation, n: number, watch: Watch, signal: AbortSignal): Promise<void> {
  const gateway = n % job.gateways.length;
  // Spread over the time between two looks, so that they do not all look at once.
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

/** Connects to a gateway's stream of events; it sends those that are recorded from then on. */
async function openStream(gateway: string, token: string, signal: AbortSignal): Promise<ReadableStream<string>> {
  const response = await fetch(`${gateway}/api/admin/events/stream`, { headers: { authorization: token }, signal });
  if (response.status !== 200)
    throw new Error(`the event stream answered ${response.status}: ${await response.text()}`);
  // Piped at once: fetch ends a body that nobody reads yet when its Response is collected.
  return response.body!.pipeThrough(new TextDecoderStream());
}

/** Reads server-sent events until the signal; throws when the stream ends before. */
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

/** As many are named as are read; the rest is counted. */
const maxNamed = 10;

/** Throws when something was never seen, and says what and where. */
function refuseUnseen(changes: readonly Change[], gateways: readonly string[]): void {
  const unseen = changes.flatMap((change) => {
    const { stamp, flag, answeredAt, listedAt, streamedAt, webhookAt, searchedAt, isSearched } = change;
    const missing = [
      ...(answeredAt === null ? ['in an answer to its PATCH'] : []),
      ...gateways.filter((_, n) => listedAt[n] === null).map((url) => `in a listing of ${url}`),
      ...gateways.filter((_, n) => streamedAt[n] === null).map((url) => `in the event stream of ${url}`),
      ...(webhookAt === null ? ['at the webhook'] : []),
      ...(isSearched && searchedAt === null ? ['by a search'] : []),
    ];
    return missing.map((where) => `${stamp} of ${flag} ${where}`);
  });
  if (unseen.length === 0) return;
  const rest = unseen.length > maxNamed ? [`and ${unseen.length - maxNamed} more`] : [];
  const named = [...unseen.slice(0, maxNamed), ...rest].join('; ');
  throw new Error(`of ${changes.length} changes some were not seen within ${sightLimitMs / 1_000} s: ${named}`);
}

/** Of changes that were seen everywhere. Seen before the answer counts as at once; of several gateways the later one counts. */
function sightsOf(changes: readonly Change[]): Seen {
  const since = ({ answeredAt }: Change, ...seenAt: (number | null)[]) =>
    Math.max(0, ...seenAt.map((at) => at! - answeredAt!));
  return {
    listing: changes.map((change) => since(change, ...change.listedAt)),
    stream: changes.map((change) => since(change, ...change.streamedAt)),
    search: changes.filter(({ isSearched }) => isSearched).map((change) => since(change, change.searchedAt)),
    webhook: changes.map((change) => since(change, change.webhookAt)),
  };
}
