import { Agent, request as send } from 'node:http';
import type { Latencies, Latency, LoadRequest } from './jobs.ts';

/** Sends the requests one after another on one connection. */
export async function measureLatencies({ requests, warmup, count, seconds }: Latencies): Promise<Latency> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: Latency = { toFirstByte: [], toLastByte: [] };
  let endsAt = Number.POSITIVE_INFINITY;
  for (let n = 0; n < warmup + count && performance.now() < endsAt; n += 1) {
    if (n === warmup && seconds !== undefined) endsAt = performance.now() + seconds * 1_000;
    const startedAt = performance.now();
    const { firstByteAt } = await answer(agent, requests[n % requests.length]!);
    if (n < warmup) continue;
    latencies.toFirstByte.push(firstByteAt - startedAt);
    latencies.toLastByte.push(performance.now() - startedAt);
  }
  agent.destroy();
  return latencies;
}

function answer(
  agent: Agent,
  { url, method = 'GET', headers, body, status }: LoadRequest,
): Promise<{ firstByteAt: number }> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const outgoing = send(url, { agent, method, headers: { ...headers, ...length } }, (incoming) => {
      const chunks: Buffer[] = [];
      let firstByteAt = Number.NaN;
      incoming.once('data', () => {
        firstByteAt = performance.now();
      });
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        if (incoming.statusCode === status) resolve({ firstByteAt });
        else
          reject(new Error(`${method} ${url} ${body ?? ''} answered ${incoming.statusCode}: ${Buffer.concat(chunks)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
