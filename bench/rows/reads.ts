// Shared by rows 1 to 4: the answers per second of CPU time of one gateway on 32 connections, compared with a bare
// server that sends the same bytes. Answers per second would measure the load generator, which needs more CPU than
// either.
import { type BareAnswer, startBareServer } from '../baselines/bare-server.ts';
import { type LoadRequest, runLoad } from '../load/load.ts';
import { alternating, atLeast, notMeasured } from '../measurement.ts';
import type { Bench } from '../row.ts';
import type { Yardarm } from '../system/yardarm.ts';

const connections = 32;
/** Until Node has compiled the hot code and the connections are open. */
const warmupSeconds = 3;
const seconds = 10;

export interface ReadRow {
  row: string;
  what: string;
  goal: number;
  request: Omit<LoadRequest, 'status'>;
  bare: BareAnswer['with'];
}

/** Compares the answers per second of CPU time with those of a bare server that sends the same answer. */
export async function measureRead(bench: Bench, yardarm: Yardarm, { request, bare, goal, ...row }: ReadRow) {
  const named = { ...row, unit: 'answers/CPU s' };
  const gateway = yardarm.services().get('gateway');
  if (gateway === undefined) return notMeasured({ ...named, goal: `>= ${goal}`, remark: 'Linux only' });
  const { status, headers, body } = await answerTo(request);
  const server = await startBareServer({ with: bare, status, headers, body });
  const perCpuSecond = async (pid: number, sent: Omit<LoadRequest, 'status'>) => {
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

async function answerTo({ url, headers: sent = {} }: ReadRow['request']) {
  const response = await fetch(url, { headers: sent });
  const body = new Uint8Array(await response.arrayBuffer());
  if (response.status >= 400) throw new Error(`${url} answered ${response.status}: ${Buffer.from(body)}`);
  const contentType = response.headers.get('content-type');
  const etag = response.headers.get('etag');
  const headers = { ...(contentType && { 'content-type': contentType }), ...(etag && { etag }) };
  return { status: response.status, headers, body };
}
