// Every change writes a unique text into a flag's description. The job looks for the text in the listings that pollers
// read from each gateway, in the stream of an SDK of each gateway, in each gateway's event stream, in the search of the
// log and in the requests to a webhook. Everything runs in this process, so that there is one clock.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../system/api.ts';
import { openEventStream } from './event-stream.ts';
import type { Propagation, Seen } from './jobs.ts';
import { openListing } from './listing-reader.ts';
import { type Change, delaysOf, stampOf, throwIfUnseen, visibilityLimitMs, Watch } from './watch.ts';

/**
 * The interval of one poller. With ten pollers per gateway, spread over the interval, a gateway is polled every 25 ms.
 * SDKs poll every 15 s. A shorter interval would itself be a considerable load.
 */
const pollMs = 250;
/** One change in five is searched for: searches for each would be more load than the changes. */
const searchEvery = 5;
/** The pause between two searches for the same change. A shorter one would itself be a considerable load. */
const searchPauseMs = 20;

/** Makes changes at a steady rate and measures how long after its answer each became visible. */
export async function measurePropagation(job: Propagation): Promise<Seen> {
  const api = new Api(job.gateways[0]!, job.adminToken);
  const watch = new Watch(job.gateways.length);
  const receiver = await startReceiver((body) => watch.sawWebhook(body));
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const addon = await api.makeWebhook(hook);
  const failures: Error[] = [];
  const addFailure = (error: Error) => void failures.push(error);
  const stopping = new AbortController();
  const pollers = Array.from({ length: job.pollers }, (_, n) => poll(job, n, watch, stopping.signal).catch(addFailure));
  // Opened before the first change: a stream begins with the next event.
  const { signal } = stopping;
  const streams = await Promise.all(
    job.gateways.flatMap((url, n) => [
      openEventStream(`${url}/api/client/streaming`, job.sdkToken, (data) => watch.sawSentToSdk(n, data), signal),
      openEventStream(`${url}/api/admin/events/stream`, job.adminToken, (data) => watch.sawStreamed(n, data), signal),
    ]),
  );
  const streamed = streams.map(({ ended }) => ended.catch(addFailure));

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
  const none = () => Array<null>(gateways).fill(null);
  const perGateway = { listedAt: none(), sentToSdkAt: none(), streamedAt: none() };
  const unseen = { answeredAt: null, webhookAt: null, searchedAt: null, ...perGateway };
  return { stamp: stampOf(n), flag, isMeasured, isSearched: n % searchEvery === 0, ...unseen };
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
