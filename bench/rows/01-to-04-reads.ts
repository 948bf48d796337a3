// Rows 1 to 4: the answers per second of CPU time of one gateway on 32 connections, compared with a bare server that
// sends the same bytes. Answers per second would measure the load generator, which needs more CPU than either.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type BareAnswer, startBareServer } from '../baselines/bare-server.ts';
import { type LoadRequest, runLoad } from '../load/load.ts';
import { alternating, atLeast, type Line, notMeasured } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { flagNames } from '../system/flags.ts';
import type { Dataset } from '../system/stage.ts';

const connections = 32;
/** Until Node has compiled the hot code and the connections are open. */
const warmupSeconds = 3;
const seconds = 10;

interface Read {
  number: string;
  title: string;
  goal: number;
  dataset: Dataset;
  path: string;
  token: 'adminToken' | 'sdkToken';
  headers?: Record<string, string>;
  /** Whether the request has the ETag of the current answer, so that it gets a 304. */
  isConditional?: boolean;
  bare: BareAnswer['with'];
}

type Request = Omit<LoadRequest, 'status'>;

/** From version 4.2.2 of the client specification, SDKs get segments beside the flags, else inlined. */
const separate = { headers: { 'unleash-client-spec': '5.2.0' } };
const gzipped = { headers: { ...separate.headers, 'accept-encoding': 'gzip' } };

const listing = {
  goal: 0.9,
  dataset: 'flags',
  path: '/api/client/features',
  token: 'sdkToken',
  bare: 'express',
} as const;
const notModified = { ...listing, goal: 0.7, isConditional: true, bare: 'node:http' } as const;
const oneFlag = { ...listing, goal: 0.7, path: `/api/client/features/${flagNames[500]}` };

const reads: Read[] = [
  { ...listing, number: '1', title: 'listing, 200', dataset: 'plain' },
  { ...listing, number: '1i', title: 'listing, 200, segments inlined' },
  { ...listing, number: '1s', title: 'listing, 200, segments separate', ...separate },
  { ...listing, number: '1g', title: 'listing, 200, segments separate, gzip', ...gzipped },
  { ...notModified, number: '2', title: 'listing, 304, segments inlined' },
  { ...notModified, number: '2s', title: 'listing, 304, segments separate', ...separate },
  { ...oneFlag, number: '3', title: 'one flag, segments inlined' },
  { ...oneFlag, number: '3s', title: 'one flag, segments separate', ...separate },
  {
    ...{ number: '4', title: 'feature types with an admin token', goal: 0.5, dataset: 'flags', bare: 'express' },
    ...{ path: '/api/admin/feature-types', token: 'adminToken' },
  },
];

export const readRows: Row[] = reads.map((read) => ({
  ...{ number: read.number, title: read.title },
  measure: async (bench) => [await measureRead(bench, read)],
}));

/** Compares the answers per second of CPU time with those of a bare server that sends the same answer. */
async function measureRead(bench: Bench, read: Read): Promise<Line> {
  const { number: row, title: what, goal, bare } = read;
  const named = { row, what, unit: 'answers/CPU s' };
  const yardarm = await bench.stage.yardarm(read.dataset);
  const gateway = yardarm.services().get('gateway');
  if (gateway === undefined) return notMeasured({ ...named, goal: `>= ${goal}`, remark: 'Linux only' });
  const headers: Record<string, string> = { authorization: yardarm[read.token], ...read.headers };
  const request: Request = { url: `${yardarm.url}${read.path}`, headers };
  if (read.isConditional) headers['if-none-match'] = (await answerTo(request)).headers.etag!;
  const answer = await answerTo(request);
  const { status, body } = answer;
  const server = await startBareServer({ with: bare, ...answer });
  const perCpuSecond = async (pid: number, sent: Request) => {
    const load = { request: { ...sent, status }, connections, warmupSeconds: bench.seconds(warmupSeconds), pid };
    const { count, cpuSeconds } = await runLoad({ kind: 'throughput', ...load, seconds: bench.seconds(seconds) });
    return count / cpuSeconds;
  };
  try {
    const runs = await alternating(
      bench.runs,
      () => perCpuSecond(gateway, request),
      () => perCpuSecond(server.pid, { ...request, url: server.url }),
    );
    const remark = `${body.length} bytes; baseline: bare ${bare === 'express' ? 'Express 5' : 'node:http'}`;
    return atLeast(goal, runs, { ...named, remark });
  } finally {
    await server.stop();
  }
}

const sentHeaders = ['content-type', 'content-encoding', 'etag'];

/** The bytes as they are sent: fetch would decode them. Throws unless the answer is the expected kind. */
async function answerTo({ url, headers = {} }: Request): Promise<Omit<BareAnswer, 'with'>> {
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  const body: Buffer = Buffer.concat(await response.toArray());
  const expected = headers['if-none-match'] === undefined ? 200 : 304;
  if (response.statusCode !== expected) throw new Error(`${url} answered ${response.statusCode}: ${body}`);
  const coding = response.headers['content-encoding'];
  if (coding !== headers['accept-encoding']) throw new Error(`${url} has the content coding ${coding}`);
  const own = sentHeaders.flatMap((name) => (response.headers[name] ? [[name, String(response.headers[name])]] : []));
  return { status: expected, headers: Object.fromEntries(own), body };
}
