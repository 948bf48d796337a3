// What rows 1 to 4 have in common: as many answers as one gateway gives on 32 connections, and as a bare server gives of the same bytes.
import { type BareAnswer, startBareServer } from '../baselines/bare-server.ts';
import { type LoadRequest, runLoad } from '../load/load.ts';
import { alternating, atLeast, type Line } from '../measurement.ts';
import type { Bench } from '../row.ts';

const connections = 32;
/** Until Node has compiled what is hot, and connections stand. */
const warmupSeconds = 3;
const seconds = 10;

export interface ReadRow {
  row: string;
  what: string;
  goal: number;
  /** Of Yardarm. */
  request: Omit<LoadRequest, 'status'>;
  bare: BareAnswer['with'];
}

/** Fetches the answer once, has a bare server give the same, and holds the one's rate against the other's. */
export async function measureRead(bench: Bench, { row, what, goal, request, bare }: ReadRow): Promise<Line> {
  const { status, headers, body } = await answerTo(request);
  const server = await startBareServer({ with: bare, status, headers, body });
  const rate = async (asked: LoadRequest) => {
    const load = { request: asked, connections, warmupSeconds: bench.seconds(warmupSeconds) };
    const { count, seconds: took } = await runLoad({ kind: 'throughput', ...load, seconds: bench.seconds(seconds) });
    return count / took;
  };
  try {
    const runs = await alternating(
      bench.runs,
      () => rate({ ...request, status }),
      () => rate({ ...request, url: server.url, status }),
    );
    const remark = `${body.length} bytes; baseline: bare ${bare === 'express' ? 'Express 5' : 'node:http'}`;
    return atLeast(goal, runs, { row, what, unit: 'answers/s', remark });
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
