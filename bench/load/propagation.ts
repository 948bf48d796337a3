// Every change writes a text into a flag's description that occurs nowhere else, and looks for it: in what pollers get of the listing
// of each gateway, in the log's search, and in what a webhook brings. All in this process, so that there is one clock.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../system/api.ts';
import type { Propagation, Seen } from './load.ts';

/** How often one poller looks: with ten on a gateway, somebody looks every ten milliseconds. */
const pollMs = 100;
/** One change in five is searched for: asking for each would be more load than the changes. */
const searchEvery = 5;
/** Between two searches for the same change: more often, and the looking is a load of its own. */
const searchPauseMs = 20;
/** What was not seen by then is not seen. */
const sightLimitMs = 10_000;

interface Change {
  stamp: string;
  /** When the PATCH was answered, on performance.now()'s clock; null until then. */
  answeredAt: number | null;
  isMeasured: boolean;
  /** When each gateway listed it first, and when the webhook came. */
  listedAt: (number | null)[];
  webhookAt: number | null;
  searchedAt: number | null;
  isSearched: boolean;
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

  sawWebhook(event: { data: { description: string } }): void {
    const change = this.changes.find(({ stamp }) => stamp === event.data.description);
    if (change) change.webhookAt ??= performance.now();
  }

  isComplete(): boolean {
    return this.changes.every(
      ({ answeredAt, listedAt, webhookAt, searchedAt, isSearched }) =>
        answeredAt !== null && !listedAt.includes(null) && webhookAt !== null && (!isSearched || searchedAt !== null),
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

  const pauseMs = 1_000 / job.writesPerSecond;
  const startedAt = performance.now();
  const writes: Promise<void>[] = [];
  for (let n = 0; n * pauseMs < (job.warmupSeconds + job.seconds) * 1_000; n += 1) {
    // At the times that the rate asks for, not so long after the last: a slow answer must not thin out the load.
    await sleep(Math.max(0, startedAt + n * pauseMs - performance.now()));
    const change = changeOf(n, n * pauseMs >= job.warmupSeconds * 1_000, job.gateways.length);
    watch.add(change);
    writes.push(write(api, job.flags[n % job.flags.length]!, change).catch(failed));
  }
  const until = performance.now() + sightLimitMs;
  while (!watch.isComplete() && failures.length === 0 && performance.now() < until) await sleep(pollMs);
  stopping.abort();
  await Promise.all([...writes, ...pollers]);
  await api.call('DELETE', `/api/admin/addons/${addon}`);
  receiver.closeAllConnections();
  receiver.close();
  if (failures[0]) throw failures[0];
  return sightsOf(watch.changes.filter(({ isMeasured }) => isMeasured));
}

function changeOf(n: number, isMeasured: boolean, gateways: number): Change {
  const unseen = { answeredAt: null, webhookAt: null, searchedAt: null, listedAt: Array(gateways).fill(null) };
  // The process is in it: an earlier run's text written once more would be no change.
  return { stamp: `stamp-${process.pid}-${n}-end`, isMeasured, isSearched: n % searchEvery === 0, ...unseen };
}

async function write(api: Api, flag: string, change: Change): Promise<void> {
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
  let etag = '';
  while (!signal.aborted) {
    const startedAt = performance.now();
    const headers = { authorization: job.sdkToken, 'if-none-match': etag };
    const response = await fetch(`${job.gateways[gateway]}/api/client/features`, { headers });
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) {
      etag = response.headers.get('etag') ?? '';
      watch.sawListing(gateway, body);
    } else if (response.status !== 304) throw new Error(`a listing answered ${response.status}: ${body}`);
    await sleep(Math.max(0, startedAt + pollMs - performance.now()));
  }
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

/** Seen before the answer counts as at once. Throws when something was never seen. */
function sightsOf(changes: readonly Change[]): Seen {
  const since = (seenAt: number | null, { answeredAt, stamp }: Change, where: string) => {
    if (seenAt === null || answeredAt === null) throw new Error(`${stamp} was never seen ${where}`);
    return Math.max(0, seenAt - answeredAt);
  };
  return {
    // Both gateways: the later one counts.
    listing: changes.map((change) => Math.max(...change.listedAt.map((at) => since(at, change, 'in a listing')))),
    search: changes
      .filter(({ isSearched }) => isSearched)
      .map((change) => since(change.searchedAt, change, 'by a search')),
    webhook: changes.map((change) => since(change.webhookAt, change, 'by the webhook')),
  };
}
