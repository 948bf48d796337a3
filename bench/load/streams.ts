// SDKs that stream from one gateway. Every change writes a unique text into a flag's description, and each SDK that
// reads notes when the text arrives. Some SDKs never read. Everything runs in this process, so that there is one clock.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../system/api.ts';
import { cpuSecondsOf } from '../system/cpu.ts';
import { proportionalSize } from '../system/memory.ts';
import type { Streamed, Streams } from './jobs.ts';
import { stampOf } from './watch.ts';

/** A gateway sends hydrations of hundreds of kilobytes. More at once would only wait for each other. */
const openedAtOnce = 20;
/** A change that has not arrived by then counts as missing. */
const arrivalLimitMs = 10_000;
/** Longer than a stamp: a part of the stream may end within one. */
const tailLength = 100;

const stampPattern = new RegExp(stampOf(0).replace('0-end', '(\\d+)-end'), 'g');

interface Change {
  answeredAt: number;
  arrivedAt: number[];
}

export async function measureStreams(job: Streams): Promise<Streamed> {
  const api = new Api(job.gateway, job.adminToken);
  const changes: Change[] = [];
  const before = proportionalSize(job.pid);
  const sockets: Socket[] = [];
  let broken = 0;
  while (sockets.length < job.clients) {
    const opening = Array.from({ length: Math.min(openedAtOnce, job.clients - sockets.length) }, (_, n) => {
      const isReader = sockets.length + n >= job.silentClients;
      const onText = (text: string) => noteStamps(text, changes);
      return openStream(job, isReader ? onText : null, () => {
        if (isReader) broken += 1;
      });
    });
    sockets.push(...(await Promise.all(opening)));
  }

  const stopping = new AbortController();
  const reading = job.isListingRead ? readListing(job, stopping.signal) : null;
  const pauseMs = 1_000 / job.changesPerSecond;
  const unmeasured = Math.ceil((job.warmupSeconds * 1_000) / pauseMs);
  let cpuBefore = 0;
  const startedAt = performance.now();
  const writes: Promise<void>[] = [];
  for (let n = 0; n * pauseMs < (job.warmupSeconds + job.seconds) * 1_000; n += 1) {
    // Changes start at fixed times, not after the previous answer: slow answers must not reduce the load.
    await sleep(Math.max(0, startedAt + n * pauseMs - performance.now()));
    if (n === unmeasured) cpuBefore = cpuSecondsOf(job.cpuOf);
    const change: Change = { answeredAt: 0, arrivedAt: [] };
    changes.push(change);
    writes.push(write(api, job, n, change));
  }
  await Promise.all(writes);
  const readers = job.clients - job.silentClients;
  const until = performance.now() + arrivalLimitMs;
  while (changes.some(({ arrivedAt }) => arrivedAt.length < readers) && performance.now() < until) await sleep(100);
  const cpuSeconds = cpuSecondsOf(job.cpuOf) - cpuBefore;
  stopping.abort();
  await reading;
  const addedMegabytes = proportionalSize(job.pid) - before;
  const missing = changes.filter(({ arrivedAt }) => arrivedAt.length < readers).length;
  if (missing > 0 || broken > 0)
    throw new Error(`${missing} changes did not arrive everywhere, ${broken} streams ended`);
  for (const socket of sockets) socket.destroy();
  const measured = changes.slice(unmeasured);
  const delays = measured.flatMap(({ answeredAt, arrivedAt }) => arrivedAt.map((at) => Math.max(0, at - answeredAt)));
  return { delays, addedMegabytes, cpuMsPerChange: (cpuSeconds * 1_000) / measured.length };
}

/** Requests the whole listing at the beginning of each second, without compression, until the signal aborts. */
async function readListing(job: Streams, signal: AbortSignal): Promise<void> {
  const headers = { authorization: job.sdkToken, 'accept-encoding': 'identity' };
  while (!signal.aborted) {
    const next = sleep(1_000);
    const response = await fetch(`${job.gateway}/api/client/features`, { headers });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`a listing answered ${response.status}: ${body}`);
    await next;
  }
}

async function write(api: Api, { project, flags }: Streams, n: number, change: Change): Promise<void> {
  const patch = [{ op: 'replace', path: '/description', value: stampOf(n) }];
  await api.call('PATCH', `/api/admin/projects/${project}/features/${flags[n % flags.length]}`, patch);
  change.answeredAt = performance.now();
}

function noteStamps(text: string, changes: readonly Change[]): void {
  for (const [, n] of text.matchAll(stampPattern)) changes[Number(n)]?.arrivedAt.push(performance.now());
}

/** A stream over a plain socket. Resolves when its first event begins. Without `onText` the rest is never read. */
function openStream(job: Streams, onText: ((text: string) => void) | null, onClose: () => void): Promise<Socket> {
  const { host, hostname, port } = new URL(job.gateway);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const lines = ['GET /api/client/streaming HTTP/1.1', `Host: ${host}`, `Authorization: ${job.sdkToken}`, '', ''];
    socket.write(lines.join('\r\n'));
    socket.once('error', reject);
    socket.once('close', onClose);
    socket.setEncoding('utf8');
    let tail = '';
    socket.once('data', (head: string) => {
      if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(`a stream answered ${head.slice(0, 100)}`));
      if (onText === null) socket.pause();
      resolve(socket);
    });
    if (onText === null) return;
    socket.on('data', (part: string) => {
      const text = tail + part;
      onText(text);
      const lastStamp = text.lastIndexOf('-end');
      tail = text.slice(Math.max(lastStamp + 1, text.length - tailLength));
    });
  });
}
